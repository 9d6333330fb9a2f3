# SPDX-License-Identifier: BSD-3-Clause
"""Trained networks: the outputs of a model of `summand train` for samples, without MPI."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _library


class Network:
    """A model file. Its outputs depend on the model and the sample alone: the same bits on any machine, in any batch."""

    def __init__(self, path: str) -> None:
        self._network, self._error = ctypes.c_void_p(), ctypes.create_string_buffer(512)
        self._check(_library.local().summand_network_load(str(path).encode(), ctypes.byref(self._network), self._error, 512))
        self.inputs: int = _library.local().summand_network_inputs(self._network)
        self.outputs: int = _library.local().summand_network_outputs(self._network)
        self.has_probabilities = bool(_library.local().summand_network_has_probabilities(self._network))

    def __del__(self) -> None:
        if getattr(self, "_network", None):
            _library.local().summand_network_free(ctypes.byref(self._network))

    def _check(self, failed: int) -> None:
        if failed:
            raise ValueError(self._error.value.decode(errors="replace"))

    def run(self, samples: Any) -> tuple[np.ndarray, np.ndarray]:
        """The outputs and the classes of samples: rows of `inputs` numbers, on the scale of the training."""
        x = np.ascontiguousarray(samples, np.float32)
        if x.ndim != 2 or x.shape[1] != self.inputs:
            raise ValueError(f"samples have the shape {x.shape}; allowed are rows of {self.inputs} numbers")
        y, classes = np.empty((len(x), self.outputs), np.float32), np.empty(len(x), np.int32)
        run = _library.local().summand_network_run
        self._check(run(self._network, len(x), x.ctypes.data, y.ctypes.data, classes.ctypes.data, self._error, 512))
        return y, classes
