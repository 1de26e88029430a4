"""The lenses: each turns results into frozen reports on one kind of evidence."""
