// Who is signed in, and what belongs to this browser: colour scheme, signing out.
import '@mantine/core/styles/Menu.layer.css'
import '@mantine/core/styles/Divider.layer.css'
import { Menu, useMantineColorScheme } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { signOut } from '../api/session.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { notifyFailure } from '../components/notify.ts'
import { AccountButton } from './account-button.tsx'

const SCHEMES: readonly {
  readonly value: 'light' | 'dark' | 'auto'
  readonly label: string
  readonly icon: IconName
}[] = [
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
  { value: 'auto', label: 'System', icon: 'monitor' },
]

/** It opens at once: it is loaded when it is wanted. */
export default function AccountMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true }) // else it writes a style element
  const queries = useQueryClient()
  const leave = async () => {
    try {
      await signOut()
      queries.clear()
    } catch (error) {
      notifyFailure("Couldn't sign out", error)
    }
  }
  return (
    <Menu defaultOpened position="top-start" width={210} shadow="md" withinPortal>
      <Menu.Target>
        <AccountButton />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Theme</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as typeof colorScheme)}>
          {SCHEMES.map(({ value, label, icon }) => (
            <Menu.RadioItem key={value} value={value} rightSection={<Icon name={icon} />}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="logOut" />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
