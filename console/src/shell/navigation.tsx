// The navigation: which environment, its pages, and at the foot who is signed in.

import { Account } from './account.tsx'
import { EnvironmentSwitcher } from './environment-switcher.tsx'
import classes from './navigation.module.css'
import { NavigationLinks } from './navigation-links.tsx'

export function Navigation() {
  return (
    <div className={classes.navigation}>
      <div className={classes.head}>
        <EnvironmentSwitcher />
      </div>
      <NavigationLinks />
      <div className={classes.foot}>
        <Account />
      </div>
    </div>
  )
}
