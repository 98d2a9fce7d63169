"""Tests of conditional independence, and the parts of PC and MMHC that rest on them.

`fisher_z` tests continuous data, `g_test` discrete data. `pc_skeleton_*` is the first half of PC
and `mmpc_*` (max-min parents and children) the first half of MMHC: each as a kernel for
Fisher's z, and in plain Python for any test.
"""
