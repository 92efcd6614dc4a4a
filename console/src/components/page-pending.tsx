// In the place of a page while its code is loaded.

import classes from './page.module.css'
import { LoadingState } from './states.tsx'

export function PagePending() {
  return (
    <div className={classes.page}>
      <LoadingState />
    </div>
  )
}
