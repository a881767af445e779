"""What a study is and what it computes: pure, without clock, disk, network or global randomness."""
