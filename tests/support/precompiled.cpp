// precompiled.cpp - a program of nothing, for which the header of all test
// programs is precompiled.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

int main() { return 0; }
