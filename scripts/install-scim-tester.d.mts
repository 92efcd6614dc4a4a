/** The Python that has scim2-tester, once it is installed. */
export const SCIM_TESTER: string
export function hasScimTester(): boolean
