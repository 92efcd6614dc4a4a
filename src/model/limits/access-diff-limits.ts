// Access diffs: what is compared of the rules, and how many lines and letters one shows.

/** Pairs of a role and a permission, or set rules, that an access diff lists as gained, lost or changed: more than anybody reads. */
export const POLICY_PAIRS_MAX = 10_000
/** Pairs of a role and a permission that are compared for one access diff: one or two seconds. */
export const POLICY_COMPARED_MAX = 2_000_000
/** Letters of a condition in an access diff: a screen full. */
export const CONDITION_TEXT_MAX = 2_000
