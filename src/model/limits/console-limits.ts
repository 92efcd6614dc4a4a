// The console. Its sessions, and what keeps guesses at keys slow.

/** Milliseconds after which a session ends that made no request: a working day. */
export const SESSION_IDLE_MS = 8 * 3_600_000
/** Milliseconds after which a session ends whatever it does. */
export const SESSION_MS = 24 * 3_600_000
/** Milliseconds after which a request gets its cookie sealed anew: a session ends by so much earlier at most. */
export const SESSION_RENEW_MS = 5 * 60_000
/**
 * Sessions that were signed out and are remembered until they would have ended, each some hundred bytes; beyond it
 * those that began no later than the oldest of them end too.
 */
export const SESSIONS_ENDED_MAX = 10_000
/** Milliseconds after which the session of a user of an identity provider ends: then the provider is asked again. */
export const USER_SESSION_MS = 3_600_000
/** Milliseconds in which a user has to come back from the identity provider. */
export const SIGN_IN_MS = 10 * 60_000
/** Milliseconds in which the identity provider must answer each request. */
export const PROVIDER_TIMEOUT_MS = 10_000
/** Characters of the name of a user that are kept. */
export const USER_NAME_LENGTH_MAX = 128
/** Values of the claim that gives access which a session keeps, of those that a rule names: the first one counts. */
export const USER_VALUES_MAX = 4
/** Characters of a cookie of the console: what is sealed is bounded, a longer one is not opened. */
export const CONSOLE_COOKIE_LENGTH_MAX = 3_584
/** Bytes of a body that signs in: an API key, or the token of a link. */
export const SIGN_IN_BODY_BYTES_MAX = 4_096
/** Wrong API keys that an address may send before it has to wait: typing errors. */
export const WRONG_KEYS_FREE = 5
/** Milliseconds of the first wait; each further wrong key doubles it. */
export const WRONG_KEY_WAIT_MS = 1_000
/** Milliseconds of the longest wait. */
export const WRONG_KEY_WAIT_MAX_MS = 60_000
/** Milliseconds after the last wrong key when those of an address are forgotten. */
export const WRONG_KEYS_FORGOTTEN_MS = 15 * 60_000
/** Addresses whose wrong keys are counted; beyond it the one that failed first is forgotten. */
export const WRONG_KEY_ADDRESSES_MAX = 10_000
/** Milliseconds in which the link of a new data folder signs in. */
export const SIGN_IN_LINK_MS = 5 * 60_000
