"""Arrays in, numbers out: the statistics, without files, network or terminal."""
