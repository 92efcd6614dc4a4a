// Directories. What an identity provider may send by SCIM, and what is kept of it. Enforced when it is read, with an
// error in the form of SCIM.

/** Groups of directories in one environment. */
export const DIRECTORY_GROUPS_MAX = 100_000
/** Members of one group of a directory: each is an object, and who removes the group removes them in one revision. */
export const DIRECTORY_GROUP_MEMBERS_MAX = 50_000
/** Memberships in groups of directories in one environment. */
export const DIRECTORY_MEMBERS_MAX = 2_000_000
/** Rules of one environment that give roles to members of groups: each is compared with each group of a user. */
export const GROUP_RULES_MAX = 1_000
/** Users in the groups that one written rule selects: what follows is one revision, and other writes wait for it. To delete a rule is never refused. */
export const GROUP_RULE_USERS_MAX = 50_000
/** Characters of `userName`, `displayName` of a group and `externalId`, which are looked up. */
export const SCIM_NAME_LENGTH_MAX = 256
/** Characters of any other text of a SCIM resource. */
export const SCIM_TEXT_LENGTH_MAX = 1_024
/** Values of one multi-valued attribute, apart from the members of a group. */
export const SCIM_VALUES_MAX = 100
/** Bytes of the attributes of one SCIM user as JSON. */
export const SCIM_USER_BYTES_MAX = 32 * 1024
/** Groups that are shown with one SCIM user; all of them are found by a filter on `members`. */
export const DIRECTORY_GROUPS_SHOWN_MAX = 1_000
/** Operations of one SCIM PATCH. */
export const SCIM_OPERATIONS_MAX = 1_000
/** Characters of a SCIM filter, or of the path of an operation. */
export const SCIM_FILTER_LENGTH_MAX = 4_096
/** Comparisons in one SCIM filter: each is made for every resource that is looked at. */
export const SCIM_FILTER_TERMS_MAX = 100
/** Levels of parentheses, brackets and `not` in one SCIM filter. */
export const SCIM_FILTER_DEPTH_MAX = 16
/** Resources of a page of a SCIM list, and how many there are where `count` is not sent. */
export const SCIM_PAGE_MAX = 200
