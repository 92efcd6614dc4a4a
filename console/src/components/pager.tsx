// Which rows are shown, of how many, and the pages before and after. Pages count from 1, as in the API.
import { Button } from '@mantine/core'
import { Icon } from './icon.tsx'
import classes from './pager.module.css'

interface PagerProps {
  readonly page: number
  /** rows of a page */
  readonly size: number
  readonly total: number
  readonly onChange: (page: number) => void
}

const count = new Intl.NumberFormat()

/** @public */
export function Pager({ page, size, total, onChange }: PagerProps) {
  const first = Math.min((page - 1) * size + 1, total)
  const last = Math.min(page * size, total)
  return (
    <nav className={classes.pager} aria-label="Pagination">
      <span role="status">
        {count.format(first)}–{count.format(last)} of {count.format(total)}
      </span>
      <Button.Group>
        <Button variant="default" aria-label="Previous page" disabled={page <= 1} onClick={() => onChange(page - 1)}>
          <span className={classes.before}>
            <Icon name="chevronRight" size={14} />
          </span>
        </Button>
        <Button variant="default" aria-label="Next page" disabled={last >= total} onClick={() => onChange(page + 1)}>
          <Icon name="chevronRight" size={14} />
        </Button>
      </Button.Group>
    </nav>
  )
}
