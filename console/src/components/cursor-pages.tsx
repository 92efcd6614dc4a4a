// The buttons below one page of a list that only knows where the next page begins: the way back is that of the browser.
import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import classes from './cursor-pages.module.css'

interface CursorPagesProps {
  /** where the page begins, `after` of the address; undefined for the first one */
  readonly after: string | undefined
  readonly next: string | null
}

export function CursorPages({ after, next }: CursorPagesProps) {
  const navigate = useNavigate()
  if (after === undefined && next === null) return null
  const open = (begin: string | undefined) =>
    void navigate({
      to: '.',
      search: ({ after: _, ...others }: Record<string, unknown>) =>
        (begin === undefined ? others : { ...others, after: begin }) as never,
    })
  return (
    <nav className={classes.pages} aria-label="Pagination">
      {after !== undefined && (
        <Button variant="default" onClick={() => open(undefined)}>
          First page
        </Button>
      )}
      {next !== null && (
        <Button variant="default" onClick={() => open(next)}>
          Next page
        </Button>
      )}
    </nav>
  )
}
