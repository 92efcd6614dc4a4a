// A list that shows its first items, and the others when asked. What the server did not send is counted below it.
import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import classes from './long-list.module.css'

/** Items that are shown without asking. */
const SHOWN = 20
const count = new Intl.NumberFormat()

interface LongListProps<T> {
  readonly label: string
  readonly items: readonly T[]
  readonly itemKey: (item: T) => string
  /** items that the server did not send */
  readonly more?: number
  readonly className?: string | undefined
  readonly children: (item: T) => ReactNode
}

export function LongList<T>({ label, items, itemKey, more = 0, className, children }: LongListProps<T>) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? items : items.slice(0, SHOWN)
  const hidden = items.length - shown.length
  return (
    <>
      <ul className={className} aria-label={label}>
        {shown.map((item) => (
          <li key={itemKey(item)}>{children(item)}</li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button variant="subtle" mt={4} onClick={() => setWhole(true)}>
          Show {count.format(hidden)} more
        </Button>
      )}
      {more > 0 && hidden === 0 && <p className={classes.more}>… and {count.format(more)} more</p>}
    </>
  )
}
