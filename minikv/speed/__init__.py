"""The same decoder and the same answers, faster. To read how the decoder works, nobody has to enter."""
