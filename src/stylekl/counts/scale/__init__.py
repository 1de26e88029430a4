"""Counts of files too large for one process: made in splits, wherever, and merged as whole numbers.

`map_partition` counts one split of a file, `merge` adds what several splits gave, and an `Engine` runs the two: in this
process, or with Dask on as many as there are. Nothing but `dask_engine` knows what runs them.
"""
