// The version of this package, where package.json cannot be read: in an application that bundles the library.

/** The same as in package.json (test/model/version.test.ts). */
export const VERSION = '0.1.0'
