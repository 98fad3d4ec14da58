/* SPDX-License-Identifier: MIT */
/*
 * libiperf's header, with what it leaves to who includes it: that of 3.12 needs stdint.h
 * before it, that of 3.18 asks what iperf3's own configure found. Internal to the room.
 */
#pragma once

#include <stdint.h>

#ifndef __STDC_NO_ATOMICS__
#define HAVE_STDATOMIC_H 1
#endif
#include <iperf_api.h>
