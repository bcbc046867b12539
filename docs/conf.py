"""Settings of the site. ``make docs`` builds it: offline, with warnings as errors."""

import sys
import warnings
from pathlib import Path

from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

import rowtrust

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "rowtrust"
author = "The rowtrust developers"
copyright = author
version = release = rowtrust.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "anchors",
    "equations",
    "mathml",
    "repository",
]
exclude_patterns = [
    "_build",
    "_templates",
    "gallery/**/*.ipynb",
    "sg_execution_times.rst",
    "gallery/sg_execution_times.rst",
]
templates_path = ["_templates"]
default_role = "literal"  # one backtick in a docstring is code
nitpick_ignore = [("py:meth", "score")]  # of scikit-learn, and not shown again
nitpick_ignore_regex = [
    (r"py:.*", r"(numpy|np|scipy|sklearn|pandas|matplotlib|dask|onnx|skops|torch)\..*"),  # others' objects
]
suppress_warnings = ["config.cache"]  # settings that are functions or sets cannot be kept between builds

# Pages: Markdown.
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "attrs_inline", "attrs_block"]
myst_heading_anchors = 4
myst_url_schemes = {"http": None, "https": None, "mailto": None}
myst_links_external_new_tab = False
html_math_renderer = "mathml"

# The API reference: one page for each object.
INHERITED = ("BaseEstimator", "ClassifierMixin", "RegressorMixin", "Exception", "ABC", "tuple", "dict")
"""Classes of others whose methods are not shown again."""

autosummary_generate = True
autosummary_context = {
    "inherited": ",".join(INHERITED),
    "hidden": sorted(
        {*dir(BaseEstimator), *dir(ClassifierMixin), *dir(RegressorMixin), *dir(ValueError), "set_callbacks"}
    ),
}
autodoc_typehints = "none"  # the docstrings say the types in words
autodoc_preserve_defaults = True  # a default by its name, not by its digits
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False
python_maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"

# The gallery: every examples/*/plot_*.py is run.
SECTIONS = ("wrong_labels", "regression", "everyday", "many_rows", "deployment", "papers", "*")
"""Folders of the gallery in the order of their sections, others after them."""

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"[\\/]plot_",
    "ignore_pattern": r"(^|[\\/])(?!plot_)[^\\/]*\.py$",
    "subsection_order": [f"../examples/{name}" for name in SECTIONS],
    "backreferences_dir": "gallery/uses",
    "doc_module": ("rowtrust",),
    "image_scrapers": ("matplotlib",),
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": r"matplotlib|rowtrust\.displays",  # the picture is shown already
    "reset_modules": ("matplotlib",),
    "min_reported_time": 5,
    "thumbnail_size": (480, 320),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "write_computation_times": False,
    "plot_gallery": "True",
}
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive", category=UserWarning)

# How it looks.
html_theme = "pydata_sphinx_theme"
html_title = "rowtrust"
html_static_path = ["_static"]
html_css_files = ["rowtrust.css"]
html_copy_source = False
html_domain_indices = False
html_show_sphinx = False
html_sidebars = {"index": [], "faq": [], "extend": []}
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "show_nav_level": 1,
    "navigation_depth": 3,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def skip_member(app, what, name, item, skip, options):
    """Leave out the methods that scikit-learn writes into every estimator."""
    return True if name in autosummary_context["hidden"] or name.endswith("_request") else skip


def setup(app):
    """Connect what is not an extension of its own."""
    app.connect("autodoc-skip-member", skip_member)
