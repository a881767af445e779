"""Human raters: the panel's frame and draw, what each rater sees, in which order, and what they answer."""
