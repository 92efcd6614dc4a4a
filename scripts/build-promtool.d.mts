/** Where promtool lies once it is built. */
export const PROMTOOL: string
