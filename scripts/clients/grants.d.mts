// Types of grants.mjs, for the tests.
export declare function bringGrants(
  call: (method: string, path: string, body?: unknown) => Promise<unknown>,
): Promise<void>
