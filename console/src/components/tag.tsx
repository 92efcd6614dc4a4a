// A short name beside others, such as a role or an action; a link where there is something to open.
import { UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import classes from './tag.module.css'

export function Tag({ children }: { readonly children: ReactNode }) {
  return <span className={classes.tag}>{children}</span>
}

interface RemovableTagProps {
  /** what the button does, for screen readers */
  readonly label: string
  readonly onRemove: () => void
  readonly children: ReactNode
}

/** With a button that takes it away. */
export function RemovableTag({ label, onRemove, children }: RemovableTagProps) {
  return (
    <span className={`${classes.tag} ${classes.removable}`}>
      <span>{children}</span>
      <UnstyledButton aria-label={label} title={label} className={classes.remove} onClick={onRemove}>
        <Icon name="x" size={12} />
      </UnstyledButton>
    </span>
  )
}

/** Tags in a row, which wraps. */
export function Tags({ children }: { readonly children: ReactNode }) {
  return <span className={classes.tags}>{children}</span>
}

/** For links that look like a tag. */
export const tagLink = `${classes.tag} ${classes.link}`
