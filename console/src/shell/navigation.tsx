// The navigation: which environment, its pages, and at the foot who is signed in.

import { Account } from './account.tsx'
import { EnvironmentSwitcher } from './environment-switcher.tsx'
import classes from './navigation.module.css'
import { NavigationLinks } from './navigation-links.tsx'
import { PaletteButton } from './palette-button.tsx'

/** `onSearch` opens the command palette. */
export function Navigation({ onSearch }: { readonly onSearch: () => void }) {
  return (
    <div className={classes.navigation}>
      <div className={classes.head}>
        <EnvironmentSwitcher />
        <PaletteButton onClick={onSearch} />
      </div>
      <NavigationLinks />
      <div className={classes.foot}>
        <Account />
      </div>
    </div>
  )
}
