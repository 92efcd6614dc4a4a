// Describes in words what a scan did not search: without that, "nothing found" could be misread.

import { mayHoldUses, type ScanReport } from './scan/scan.ts'
import { counted, someOf } from './world.ts'

/** One line for each reason for not searching, with names; empty when everything was searched. */
export function notSearched({ skipped, passedOver, ignored }: ScanReport): string[] {
  const of = (kind: string): string[] => skipped.filter(({ reason }) => reason === kind).map(({ file }) => file)
  const kinds: [readonly string[], string, string][] = [
    [of('too large'), 'files', 'too large'],
    [of('unreadable'), 'files', 'not readable'],
    [of('binary'), 'files', 'no text'],
    [of('link'), 'links', 'not followed'],
    [of('special'), 'files', 'a socket, a pipe or a device'],
    [passedOver, 'folders', 'of a build, or of others by the name'],
    [ignored, 'paths', 'left out with --ignore'],
  ]
  return kinds
    .filter(([names]) => names.length > 0)
    .map(([names, what, why]) => `not searched: ${counted(names.length, what)}, ${why} (${someOf(names)})`)
}

/** Whether everything that may have a use was searched or excluded. */
export const isWhole = ({ skipped }: ScanReport): boolean => !skipped.some(mayHoldUses)
