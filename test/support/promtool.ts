// promtool, with which Prometheus tests alert rules. `node scripts/build-promtool.mjs` builds it from the Go module
// proxy, into a cache folder of the account; a test that needs it says how to get it where it is missing.
import { existsSync } from 'node:fs'
import { PROMTOOL } from '../../scripts/build-promtool.mjs'

/** Its path; undefined where it was not built. */
export const promtool: string | undefined = existsSync(PROMTOOL) ? PROMTOOL : undefined
