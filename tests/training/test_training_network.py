"""What the network sees, computes and is taught, beside slow twins that follow one list."""

import math

import numpy as np
import pytest

import training_twins as twins
from causalassay.discovery import amortized_weights
from training_twins import generator, torch

if torch:
    from training.feed import Feed, described
    from training.generators import Part
    from training.network import Size
    from training.priors import PRIORS, Frame

    from training import features, feed, generators, network

pytestmark = pytest.mark.needs("package:torch")


def small_network(seed=1):
    """Return a network whose norms and biases are random as well."""
    parameters = network.initial(Size(8, 4, 2), seed, torch.device("cpu"))
    rng = generator(seed)
    return {
        name: (value + 0.3 * torch.randn(value.shape, generator=rng)).detach().requires_grad_()
        for name, value in parameters.items()
    }


def some_features(n_systems=3, n_nodes=7, n_rows=150):
    part = generators.draw(PRIORS["raw"], n_nodes, n_systems, n_rows, generator(2))[0]
    return features.of_columns(part.columns, False), part.graph


# Features


@pytest.mark.parametrize("blind", [True, False])
@pytest.mark.parametrize(("n_nodes", "n_rows"), [(2, 60), (7, 400)])
def test_features_are_those_of_the_slow_twin(blind, n_nodes, n_rows):
    rng = np.random.default_rng(3)
    # Heavy tails, so that columns are clipped; a dense mixture, so that they are correlated.
    mixed = rng.standard_t(2.1, (n_rows, n_nodes)) ** 3 @ rng.normal(size=(n_nodes, n_nodes))
    values = mixed * rng.uniform(0.1, 30, n_nodes) + rng.normal(size=n_nodes)
    assert n_rows < 100 or np.abs((values - values.mean(0)) / values.std(0)).max() > 10
    ours = features.of_columns(torch.from_numpy(values).float().mT[None], blind)[0]
    np.testing.assert_allclose(ours, twins.features(values, blind), atol=2e-4)


def test_blind_features_do_not_know_units_and_the_others_know_their_ratios():
    part = generators.draw(PRIORS["raw"], 6, 2, 300, generator(4))[0]
    moved = part.columns * torch.tensor([2.0, 1, 1, 0.5, 8, 1])[:, None] + 3
    twice = [features.of_columns(columns, True) for columns in (part.columns, moved)]
    torch.testing.assert_close(*twice, atol=1e-4, rtol=0)
    seen = [features.of_columns(columns, False) for columns in (part.columns, 5 * part.columns)]
    torch.testing.assert_close(*seen, atol=1e-4, rtol=0)
    assert not torch.allclose(seen[0], features.of_columns(moved, False), atol=0.1)


# The network


def test_parameters_have_the_names_and_shapes_of_the_file():
    for sizes in ((96, 48, 10), (8, 4, 2)):
        parameters = network.initial(Size(*sizes), 1, torch.device("cpu"))
        shapes = {name: tuple(value.shape) for name, value in parameters.items()}
        assert shapes == amortized_weights.shapes(*sizes)
    assert 1.2e6 < Size().n_parameters() < 1.4e6


def test_scores_are_those_of_the_slow_twin():
    pairs, _ = some_features()
    parameters = small_network()
    ours = network.scores(pairs, 7, parameters).detach()
    for one, own in zip(ours, pairs, strict=True):
        np.testing.assert_allclose(one, twins.scores(own.double().numpy(), parameters), atol=1e-4)


def test_scores_move_with_the_columns():
    pairs, _ = some_features()
    order = torch.tensor([3, 0, 6, 2, 5, 1, 4])
    parameters = small_network()
    scores = network.scores(pairs, 7, parameters)
    moved = network.scores(pairs[:, order][:, :, order], 7, parameters)
    torch.testing.assert_close(moved, scores[:, order][:, :, order], atol=1e-4, rtol=1e-4)


def test_nodes_that_fill_a_frame_tell_nothing():
    part = generators.draw(PRIORS["iscm"], 7, 3, 150, generator(5))[0]
    parameters = small_network()
    alone = network.scores(features.of_columns(part.columns, True), 7, parameters)
    batch = described([part], Frame(11, 3, 1.0, 3), True)
    assert batch.features.shape[1:3] == (11, 11)
    batch.features[:, 7:] = 5.0  # whatever stands there
    batch.features[:, :, 7:] = -5.0
    filled = network.scores(batch.features, 7, parameters)
    torch.testing.assert_close(filled[:, :7, :7], alone, atol=1e-4, rtol=1e-4)


def test_probabilities_of_a_pair_and_the_loss_are_those_of_a_softmax():
    score = torch.randn((2, 4, 4), generator=generator(6))
    graph = torch.zeros((2, 4, 4), dtype=torch.bool)
    graph[0, 0, 1] = graph[0, 1, 3] = graph[1, 2, 3] = True
    chance = network.probabilities(score).double().numpy()
    total = []
    for system in range(2):
        for i in range(4):
            assert chance[system, i, i] == 0
            for j in range(i):
                x = np.exp([float(score[system, i, j]), float(score[system, j, i]), 0.0])
                softmax = x / x.sum()
                there, back = chance[system, i, j], chance[system, j, i]
                np.testing.assert_allclose((there, back), softmax[:2], rtol=1e-5)
                is_true = (bool(graph[system, i, j]), bool(graph[system, j, i]))
                total.append(-math.log(softmax[{(1, 0): 0, (0, 1): 1, (0, 0): 2}[is_true]]))
    both = torch.tensor([True, True])
    np.testing.assert_allclose(network.loss(score, graph, both), np.mean(total), rtol=1e-5)
    first = network.loss(score, graph, torch.tensor([True, False]))
    np.testing.assert_allclose(first, np.mean(total[:6]), rtol=1e-5)


def test_gradients_reach_every_parameter():
    pairs, graph = some_features()
    parameters = small_network()
    network.loss(network.scores(pairs, 7, parameters), graph, torch.ones(3) > 0).backward()
    assert all(value.grad.isfinite().all() for value in parameters.values())
    assert all(value.grad.any() for value in parameters.values())


# Batches


def test_systems_that_are_not_finite_do_not_count():
    part = generators.draw(PRIORS["iscm"], 5, 3, 60, generator(7))[0]
    columns = part.columns.clone()
    columns[1, 2] = 0.0  # a constant column has no correlations
    batch = described([Part(columns, part.graph)], Frame(6, 3, 1.0, 3), True)
    assert batch.counted.tolist() == [True, False, True]
    assert batch.features.isfinite().all()


def test_a_batch_depends_on_the_seed_the_prior_and_the_number_of_its_step_alone():
    def batch(step, seed=1, prior="iscm"):
        return Feed(PRIORS[prior], seed, 0.005, torch.device("cpu")).batch(step)[1].features

    begun = Feed(PRIORS["iscm"], 1, 0.005, torch.device("cpu"))
    for step in range(3):
        last = begun.batch(step)[1].features
    assert torch.equal(last, batch(2))
    assert not torch.equal(last, begun.batch(3)[1].features[: len(last)])
    frames = {tuple(batch(2, *other).shape) for other in ((2,), (1, "uumc"))}
    assert all(
        tuple(last.shape) not in frames or not torch.equal(last, batch(2, *other))
        for other in ((2,), (1, "uumc"))
    )


def test_a_round_has_each_frame_in_its_share():
    groups, turns = feed.planned(PRIORS["broad"], np.random.default_rng(8))
    assert len(turns) == feed.ROUND == len(set(turns))
    for frame in PRIORS["broad"].frames:
        own = [group for group in groups if group.frame == frame]
        n_steps = sum(group.n_batches for group in own)
        assert abs(n_steps - frame.share * feed.ROUND) <= 1
        full, fewer = own
        assert full.n_nodes == frame.nodes
        assert frame.fewest <= fewer.n_nodes < frame.nodes
        assert 0 <= full.n_batches - fewer.n_batches <= 1
