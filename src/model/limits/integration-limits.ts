// Integration backend. The reference integration backend and the stand-in of its demo.

/** Characters of the Authorization header of the integration backend: a token of an identity provider is 1 to 4 KiB. */
export const TOKEN_LENGTH_MAX = 16 * 1024
/**
 * Bytes of the headers of a request to it: above the token, so that a longer one still gets the answer of a bad one.
 */
export const INTEGRATION_HEADER_BYTES_MAX = 256 * 1024
/** Bytes of a body that it takes, and drops. */
export const INTEGRATION_BODY_BYTES_MAX = 16 * 1024
/** Milliseconds in which an identity provider whose keys could not be read is not asked for them again. */
export const JWKS_RETRY_MS = 1_000
/**
 * Milliseconds after which the keys of the identity provider are read again: a key that it withdrew is trusted this
 * long at most.
 */
export const JWKS_REFRESH_MS = 600_000
/**
 * Milliseconds since the last reading in which keys stay trusted while their provider cannot be read: a short outage
 * locks no one out.
 */
export const JWKS_KEEP_MS = 3_600_000
/**
 * Milliseconds in which tokens with unknown keys make a provider's keys be read again once: any caller can name a key that
 * does not exist.
 */
export const JWKS_UNKNOWN_KEY_MS = 10_000
/** Bytes of the metadata, and of the key set, of an OpenID provider: real ones have 1 to 20 KiB. */
export const PROVIDER_ANSWER_BYTES_MAX = 256 * 1024
/** Keys of an OpenID provider's set that are looked at; providers have fewer than ten. */
export const JWKS_KEYS_MAX = 100
/** Keys that are tried for one token, where several fit: each costs the check of a signature. */
export const JWKS_TRIES_MAX = 4
/** Seconds by which the clocks of an OpenID provider and of the server may differ when a token begins or ends. */
export const TOKEN_SKEW_SECONDS = 5
/** Values of the claim of groups that are read; Entra sends at most 200 in a token, Okta and Auth0 some hundred. */
export const GROUPS_MAX = 1_000
/** Milliseconds after which it gives up on a call to Zerohop. */
export const SERVICE_TIMEOUT_MS = 10_000
/** Milliseconds that a sync waits until checks in the same process see the user. */
export const SYNC_VISIBLE_MS = 1_000
/** Codes that the stand-in identity provider remembers; the oldest goes first. */
export const STAND_IN_CODES_MAX = 1_000
/** Milliseconds in which a code of the stand-in must be exchanged. */
export const STAND_IN_CODE_MS = 60_000
/** Seconds that a token of the stand-in holds. */
export const STAND_IN_TOKEN_SECONDS = 3_600
