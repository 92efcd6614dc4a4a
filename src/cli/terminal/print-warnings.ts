// What a command says beside its result, and what a write that it made warns of, on standard error: standard output is for results.
import type { ManagementClient } from '../../client/management-client.ts'
import { warningsOf } from '../../client/warnings.ts'
import type { Warned } from '../../management/host/admin-plans.ts'
import { plain } from '../../model/plain-text.ts'

/** Prints them, a line each: what is in them is written by others, so that no character of it moves the cursor. */
function printWarnings(warnings: readonly string[]): void {
  for (const warning of warnings) process.stderr.write(`zerohop: warning: ${plain(warning)}\n`)
}

/** Says what a command does meanwhile, such as that it tries again. */
export const sayOnStderr = (text: string): void => void process.stderr.write(`zerohop: ${plain(text)}\n`)

/** Says why a client waits, whichever repeats by itself, and for how long. */
export const sayRetry = ({ reason, waitMs }: { readonly reason: string; readonly waitMs: number }): void =>
  sayOnStderr(`${reason}; trying again in ${waitMs / 1000} s`)

/** What a write in a data folder made; prints what it warns of. */
export function madeBy<T>({ made, warnings }: Warned<T>): T {
  printWarnings(warnings)
  return made
}

/** The client, whose writes print what they warn of. */
export function withWarnings(client: ManagementClient): ManagementClient {
  client.use({
    onResponse: ({ request, response }) => {
      if (request.method !== 'GET') printWarnings(warningsOf(response))
    },
  })
  return client
}
