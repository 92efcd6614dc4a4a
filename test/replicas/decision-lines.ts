// Lines of decision records, as a PDP writes them.
import { formatLine } from '../../src/client/decision-record.ts'
import { RECORD } from '../decision-log/support.ts'

export interface Line {
  readonly environment: string
  readonly instance: string
  readonly seq: number
  readonly apiKey: string
  readonly at: number
  readonly user?: string
  readonly revision?: number
  readonly action?: string
  readonly resourceType?: string
  readonly dropped?: number
}

export const decisionLine = ({ instance, seq, dropped = 0, ...of }: Line): string =>
  `{"instance":"${instance}","seq":${seq}${formatLine({ ...RECORD, ...of, request: `r-${seq}` }, dropped)}`
