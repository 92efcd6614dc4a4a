// The parts of a page about one object, as links: which one is open is in the address, as `tab`.
import { Link } from '@tanstack/react-router'
import classes from './tabs.module.css'

export interface Tab<Id extends string> {
  readonly id: Id
  readonly label: string
}

interface TabsProps<Id extends string> {
  /** what they are parts of, for screen readers */
  readonly label: string
  /** the first one is open when the address names none */
  readonly tabs: readonly Tab<Id>[]
  readonly open: Id
  /** what stays in the address */
  readonly keep?: Readonly<Record<string, string>>
}

export function Tabs<Id extends string>({ label, tabs, open, keep = {} }: TabsProps<Id>) {
  return (
    <nav aria-label={label} className={classes.tabs}>
      {tabs.map(({ id, label: text }, at) => (
        <Link
          key={id}
          to="."
          search={(at === 0 ? keep : { ...keep, tab: id }) as never}
          resetScroll={false}
          className={classes.tab}
          activeProps={{}}
          aria-current={id === open ? 'true' : undefined}
          data-open={id === open || undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  )
}
