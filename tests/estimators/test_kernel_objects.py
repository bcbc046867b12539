"""scikit-learn's kernel objects: learnt by the evidence, never changed, on every relevance vector machine."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1, make_moons
from sklearn.gaussian_process import kernels
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Matern, WhiteKernel
from sklearn.model_selection import GridSearchCV

from rowtrust import RVC, RVR, FuzzyRVC, FuzzyRVR, RobustRVC, RobustRVR
from rowtrust.export.portable import ExportError, portable
from rowtrust.io import ModelFileError, load, save
from rowtrust.kernels import OnColumns

ESTIMATORS = [RVC, RobustRVC, FuzzyRVC, RVR, RobustRVR, FuzzyRVR]
EACH = [
    RVC,
    RVR,
    *(pytest.param(each, marks=pytest.mark.slow) for each in ESTIMATORS if each not in (RVC, RVR)),
]
X, Y = make_moons(120, noise=0.2, random_state=0)


def latent(model, rows=X):
    return np.hstack(model.predictive_model_.latent_moments(rows))


@pytest.mark.parametrize("estimator", [RVC, FuzzyRVR])
def test_theta_is_learnt_and_the_users_object_left_alone(estimator):
    given = RBF([5.0, 5.0])
    # Memberships that ask a first fit would be other ones at another kernel, and so whether doubt helps.
    options = {
        "random_state": 0,
        **({"membership": np.linspace(0.5, 1.0, 120)} if estimator is FuzzyRVR else {}),
    }
    before = estimator(kernel=given, gamma="scale", **options).fit(X, Y)
    model = estimator(kernel=given, **options).fit(X, Y)
    assert model.kernel is given
    assert given == RBF([5.0, 5.0])
    assert before.kernel_ == given
    assert before.kernel_ is not given
    assert model.lower_bound_ > before.lower_bound_ + 1.0
    assert model.kernel_.length_scale.max() < 5.0
    # A fit with the learnt kernel as it is must be the same fit.
    again = estimator(kernel=model.kernel_, gamma="scale", **options).fit(X, Y)
    np.testing.assert_allclose(latent(again), latent(model))


@pytest.mark.parametrize("estimator", EACH)
def test_a_fixed_object_is_the_kernel_by_name(estimator):
    """An rbf kernel of length l is that of gamma = 1 / (2 l**2)."""
    by_object = estimator(kernel=RBF(0.5, "fixed"), random_state=0).fit(X, Y)
    by_name = estimator(gamma=2.0, random_state=0).fit(X, Y)
    np.testing.assert_allclose(latent(by_object), latent(by_name), rtol=1e-5, atol=1e-6)
    assert by_object.gamma_share_ == {1.0: 1.0}


@pytest.mark.parametrize("gamma", ["scale", 3.0])
def test_any_gamma_but_evidence_uses_the_object_as_it_is(gamma):
    assert RVC(kernel=RBF(0.7), gamma=gamma).fit(X, Y).kernel_ == RBF(0.7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
def test_one_length_scale_per_input_finds_the_inputs_that_matter(seed):
    rows, target = make_friedman1(200, noise=1.0, random_state=seed)
    model = RVR(kernel=RBF(np.ones(10)), scaling=None).fit(rows, target)
    relevance = model.kernel_.length_scale**-2
    assert relevance[5:].max() < 0.05 * relevance.max()


@pytest.mark.slow
def test_a_sum_over_groups_beats_one_kernel_on_an_additive_problem():
    rows, target = make_friedman1(150, noise=1.0, random_state=0)
    X_test, truth = make_friedman1(1000, noise=0.0, random_state=100)
    groups = [[0, 1], [2], [3], [4]]
    kernel = sum((OnColumns(RBF(1.0), each) for each in groups[1:]), start=OnColumns(RBF(1.0), groups[0]))

    def error(model):
        return np.mean((model.fit(rows, target).predict(X_test) - truth) ** 2)

    assert error(RVR(kernel=kernel)) < 0.35 * error(RVR(kernel="rbf"))


@pytest.mark.parametrize(
    "kernel",
    [
        ConstantKernel(1.0) * RBF(1.0),
        ConstantKernel(1e3) * RBF(1.0),
        RBF(1.0) + WhiteKernel(1.0),
        pytest.param(Matern(1.0, nu=0.5), marks=pytest.mark.slow),
        pytest.param(Matern(1.0, nu=2.2), marks=pytest.mark.slow),
        DotProduct() ** 2,
        kernels.RationalQuadratic() + ConstantKernel(),
        kernels.PairwiseKernel(metric="laplacian"),
    ],
    ids=repr,
)
def test_all_kinds_of_kernels_are_learnt(kernel):
    model = RVC(kernel=kernel).fit(X, Y)
    lower, upper = kernel.bounds.T
    assert ((model.kernel_.theta >= lower) & (model.kernel_.theta <= upper)).all()
    assert np.isfinite(latent(model)).all()
    assert np.mean((model.predict(X) > 0.5) == Y) > 0.83


@pytest.mark.slow
def test_amplitude_and_white_noise_change_nothing():
    plain = RVC(kernel=RBF(1.0), scaling=None, sparsity=0.0, random_state=0).fit(X, Y)
    factor = RVC(kernel=ConstantKernel(50.0) * RBF(1.0), scaling=None, sparsity=0.0, random_state=0).fit(X, Y)
    noisy = RVC(kernel=RBF(1.0) + WhiteKernel(0.3), scaling=None, sparsity=0.0, random_state=0).fit(X, Y)
    np.testing.assert_allclose(factor.predict_proba(X), plain.predict_proba(X), atol=0.02)
    assert abs(np.log(factor.kernel_.k1.constant_value / 50.0)) < 1.0
    np.testing.assert_allclose(noisy.predict_proba(X), plain.predict_proba(X), atol=1e-6)
    assert isinstance(noisy.kernel_.k2, WhiteKernel)
    assert noisy.kernel_.k2.noise_level == pytest.approx(0.3, rel=1e-12)


@pytest.mark.slow
def test_outputs_share_their_kernel():
    rows, labels = load_iris(return_X_y=True)
    model = RVC(kernel=RBF(np.ones(4)), random_state=0).fit(rows, labels)
    assert model.score(rows, labels) > 0.95
    assert len(model.kernel_.theta) == 4


def test_weights_count_copies():
    weight = np.random.default_rng(0).integers(1, 3, len(Y))
    weighted = RVC(kernel=RBF([1.0, 1.0])).fit(X, Y, sample_weight=weight)
    repeated = RVC(kernel=RBF([1.0, 1.0])).fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=0.02)


def test_parameters_reach_into_the_object():
    model = RVR(kernel=ConstantKernel(2.0) * OnColumns(RBF(0.5), [0]))
    assert model.get_params()["kernel__k2__kernel__length_scale"] == 0.5
    assert clone(model).kernel == model.kernel
    assert clone(model).kernel is not model.kernel
    assert clone(model).set_params(kernel__k2__columns=[1]).kernel.k2.columns == [1]
    grid = {"kernel__length_scale": [0.01, 0.5]}
    search = GridSearchCV(RVC(kernel=RBF(), gamma="scale"), grid, cv=2).fit(X, Y)
    assert search.best_params_ == {"kernel__length_scale": 0.5}


def test_callbacks_see_the_turns():
    pytest.importorskip("sklearn.callback")

    class Recorder:
        steps = 0

        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context):
            Recorder.steps += context.task_name == "step"

        def teardown(self, estimator, context):
            pass

    model = RVC(kernel=RBF(5.0)).set_callbacks(Recorder()).fit(X, Y)
    assert Recorder.steps > model.n_iter_


class NoGradient(RBF):
    def __call__(self, X, Y=None):
        return super().__call__(X, Y)


class WrongGradient(RBF):
    def __call__(self, X, Y=None, eval_gradient=False):
        values = super().__call__(X, Y)
        return (values, values) if eval_gradient else values


@pytest.mark.parametrize("kind", [NoGradient, WrongGradient])
def test_a_kernel_without_gradient_names_the_cure(kind):
    model = RVC(kernel=kind())
    with pytest.raises(ValueError, match='bounds "fixed", or use the kernel as it is with gamma="scale"'):
        model.fit(X, Y)
    assert not hasattr(model, "kernel_")
    RVC(kernel=kind(), gamma="scale").fit(X, Y)
    RVC(kernel=kind(length_scale_bounds="fixed")).fit(X, Y)


def test_bad_company_names_the_cure():
    with pytest.raises(ValueError, match=r"X\.toarray"):
        RVC(kernel=RBF()).fit(sparse.csr_array(X), Y)
    with pytest.raises(ValueError, match="columns between 0 and 1"):
        RVC(kernel=OnColumns(RBF(), [2])).fit(X, Y)


@pytest.mark.parametrize("estimator", [RobustRVC, RVR])
def test_model_files_hold_kernel_objects(estimator, tmp_path):
    kernel = ConstantKernel(1.0) * OnColumns(RBF([1.0, 2.0]), [1, 0]) + Matern(nu=2.5) ** 2 + WhiteKernel()
    model = estimator(kernel=kernel, gamma="scale", random_state=0).fit(X, Y)
    save(model, tmp_path / "m.skops")
    back = load(tmp_path / "m.skops")
    np.testing.assert_array_equal(latent(back), latent(model))
    assert back.kernel_ == model.kernel_


def test_model_files_hold_no_other_kernels(tmp_path):
    for kernel in (NoGradient(), kernels.PairwiseKernel(metric=np.dot), OnColumns(NoGradient(), [0])):
        with pytest.raises(ModelFileError, match="could run code"):
            save(RVC(kernel=kernel), tmp_path / "m.skops")


def test_kernel_objects_are_not_exported():
    with pytest.raises(ExportError, match=r"kernel=RBF\(length_scale=1\) cannot be exported"):
        portable(RVC(kernel=RBF(), gamma="scale").fit(X, Y))
