// The version of this package, where package.json cannot be read: in an application that bundles the library. And the
// API version of PDPs, which clients ask for.

/** The same as in package.json (test/model/version.test.ts). */
export const VERSION = '0.1.0'

/**
 * What a PDP reports as its API version in `GET /version`, and to the management API that it follows: that of the
 * vendor's PDP which it implements.
 */
export const PDP_API_VERSION = 4

/** What a PDP for clients of the first API version reports (`--v1`). */
export const PDP_API_VERSION_V1 = 1
