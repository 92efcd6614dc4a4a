// Numbers over time as bars. To screen readers they are a table.
import { VisuallyHidden } from '@mantine/core'
import { counted } from 'zerohop/change-words'
import classes from './overview.module.css'

export interface Bar {
  readonly label: string
  /** from the bottom upwards, one number for each part */
  readonly parts: readonly number[]
}

interface BarsProps {
  readonly title: string
  /** what the parts are, in the order of the numbers; `allowed` and `denied` have colours, and denied is hatched */
  readonly parts: readonly string[]
  readonly bars: readonly Bar[]
  /** the parts are nouns that are counted: `1 revision`, `2 revisions` */
  readonly hasPlural?: boolean
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

export function Bars({ title, parts, bars, hasPlural = false }: BarsProps) {
  const highest = Math.max(1, ...bars.map((bar) => sum(bar.parts)))
  const totals = parts.map((_, at) => sum(bars.map((bar) => bar.parts[at] ?? 0)))
  return (
    <figure className={classes.figure}>
      <figcaption>
        {title}: {countsOf(totals, parts, hasPlural)}
      </figcaption>
      <div className={classes.bars} aria-hidden="true">
        {bars.map((bar) => (
          <div key={bar.label} className={classes.bar} title={textOf(bar, parts, hasPlural)}>
            {bar.parts.map((part, at) => (
              <span key={parts[at]} data-part={parts[at]} style={{ height: `${(part / highest) * 100}%` }} />
            ))}
          </div>
        ))}
      </div>
      <div className={classes.ends} aria-hidden="true">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
      <VisuallyHidden>
        <ul aria-label={title}>
          {bars
            .filter((bar) => sum(bar.parts) > 0)
            .map((bar) => (
              <li key={bar.label}>{textOf(bar, parts, hasPlural)}</li>
            ))}
        </ul>
      </VisuallyHidden>
    </figure>
  )
}

const countsOf = (numbers: readonly number[], parts: readonly string[], hasPlural: boolean): string =>
  parts.map((part, at) => counted(numbers[at] ?? 0, part, hasPlural ? undefined : part)).join(', ')

const textOf = ({ label, parts: numbers }: Bar, parts: readonly string[], hasPlural: boolean): string =>
  `${label}: ${countsOf(numbers, parts, hasPlural)}`
