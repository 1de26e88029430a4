"""The pieces of `bench/speed.py`: how a run is measured, one module for each family of figures, one for each peer."""
