"""`python -m stylekl` is the command."""

from stylekl.cli import main

if __name__ == "__main__":
    main()
