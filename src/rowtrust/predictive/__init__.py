"""The fitted model: latent moments near the data, the prior far from them."""
