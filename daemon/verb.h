/* SPDX-License-Identifier: MIT */
/* The verbs of the program: one file each, and what main.c hands to them. */
#pragma once

#include <stdbool.h>

/* Exit codes of the program. */
#define T1S_EXIT_OK 0
#define T1S_EXIT_FAILED 1
#define T1S_EXIT_USAGE 2

struct t1s_args {
	const char *root;        /* "" or a folder */
	const char *config;      /* --config=, or NULL */
	const char *set;         /* --set=, or NULL */
	const char *controller;  /* --controller=, or NULL */
	const char *fingerprint; /* --fingerprint=, or NULL */
	const char *key;         /* --key=, or NULL */
	const char *format;      /* --format=, or NULL */
	const char *output;      /* --output=, or NULL */
	const char *workload;    /* --workload=, or NULL */
	const char *watch;       /* --watch: "", or its time; or NULL */
	bool json;
	bool trial; /* --trial */
	int count;  /* operands behind the verb */
	char **operands;
};

/* Each returns an exit code and has told its errors. */
int verb_begin(const struct t1s_args *a);
int verb_measure(const struct t1s_args *a);
int verb_advance(const struct t1s_args *a);
int verb_restore(const struct t1s_args *a);
int verb_overlay(const struct t1s_args *a);
int verb_explain(const struct t1s_args *a);
int verb_pair(const struct t1s_args *a);
int verb_check(const struct t1s_args *a);
int verb_plan(const struct t1s_args *a);
int verb_status(const struct t1s_args *a);
int verb_report(const struct t1s_args *a);

struct t1s_error;
/* Tells an error and turns it into an exit code: 2 for -EINVAL (usage, configuration). */
int t1s_verb_failed(int r, const struct t1s_error *e);
