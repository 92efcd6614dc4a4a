// The frame of a page: its title, what it is for, its actions. The
// title takes the focus when a page is opened, so that screen readers say where one is.
import { type ReactNode, useEffect, useRef } from 'react'
import { useDocumentTitle } from './document-title.ts'
import classes from './page.module.css'

interface PageProps {
  readonly title: string
  readonly description?: ReactNode
  /** buttons, at the right of the title */
  readonly actions?: ReactNode
  /** pages of lists and matrices take all the room, pages of text and forms do not */
  readonly isWide?: boolean
  readonly children: ReactNode
}

export function Page({ title, description, actions, isWide = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useDocumentTitle(title)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div className={classes.page} data-wide={isWide || undefined}>
      <header className={classes.header}>
        <div className={classes.words}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {description !== undefined && <p className={classes.description}>{description}</p>}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}
