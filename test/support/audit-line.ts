// A record of a decision as a PDP writes it, with what a test puts into it.
import { formatLine } from '../../src/client/decision-record.ts'

interface Sent {
  readonly seq: number
  /** ms since 1970 */
  readonly at: number
  readonly environment: string
  /** id of the key that sends it */
  readonly apiKey: string
  readonly user?: string
  /** of the resource */
  readonly key?: string | null
}

/** The line, with its end. */
export const auditLine = ({ seq, at, environment, apiKey, user = 'ana', key = null }: Sent): string =>
  `{"instance":"${'ab'.repeat(16)}","seq":${seq}${formatLine(
    {
      ...{ at, environment, apiKey, user, request: `r-${seq}`, revision: 1, tenant: 'default', action: 'say' },
      ...{ resourceType: 'hello', resourceKey: key, allow: true, reason: undefined, micros: 15, sent: undefined },
      ...{ now: undefined, isTenantSent: true, omitted: [] },
    },
    0,
  )}`
