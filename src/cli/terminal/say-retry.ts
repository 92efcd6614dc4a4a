// A command that waits before it asks again says so, whatever repeats: the write client, the command itself, a client
// of another service. On standard error: standard output is for results.
import { plain } from '../../model/plain-text.ts'

/** @param reason why it was not answered, as the message of an error */
export function sayRetry({ reason, waitMs }: { readonly reason: string; readonly waitMs: number }): void {
  process.stderr.write(`zerohop: ${plain(reason)}; trying again in ${waitMs / 1000} s\n`)
}
