"""A decoder of MaxText's shape learns the same through Meshwright, and sends no more."""

import jax
import numpy as np
from decoder import Config, Training

import meshwright.jax as mw


def test_twenty_steps_have_the_same_losses_and_fewer_bytes():
    training = Training(Config(vocab=64, width=32, hidden=64, layers=2, length=16, batch=8))
    ours, theirs = training.losses(mw.jit, 20)[0], training.losses(jax.jit, 20)[0]
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)
    assert ours[-1] < ours[0] - 1
    with training.context():
        found = mw.compare(training.jitted(mw.jit), training.state(), training.batch(0), calls=1)
    assert found.ours.bytes < found.xla.bytes
