/* SPDX-License-Identifier: MIT */
/* Tests that need a mount of their own, in a mount namespace of a child process. */
#pragma once

#define CANNOT_MOUNT 77

/*
 * Runs @fn(@arg) in a child with its own mount namespace and gives back what @fn returned
 * (0 to 76), or CANNOT_MOUNT where this machine does not allow one. @fn must not use
 * cmocka's assertions: it tells by its result where it failed.
 */
int with_own_mounts(int (*fn)(const void *arg), const void *arg);
