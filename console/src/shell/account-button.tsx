// Who is signed in: the key, and what it may do. Its menu is loaded when it is wanted.
import { UnstyledButton, type UnstyledButtonProps } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'
import type { AccessLevel } from '../api/session.ts'
import { useSession } from '../api/use-session.ts'
import { Icon } from '../components/icon.tsx'
import classes from './navigation.module.css'

const ACCESS: Readonly<Record<AccessLevel, string>> = {
  no_access: 'No access',
  read: 'Read only',
  write: 'Read and write',
  admin: 'Full access',
}

export function AccountButton(props: UnstyledButtonProps & ComponentPropsWithRef<'button'>) {
  const { access, user } = useSession()
  return (
    <UnstyledButton {...props} className={classes.button} aria-haspopup="menu">
      <Icon name={user === null ? 'keyRound' : 'user'} />
      <span className={classes.names}>
        <span>{access.only === 'facts' ? 'Can change facts' : ACCESS[access.access_level]}</span>
        <span>{user?.name ?? access.name ?? user?.subject ?? 'API key'}</span>
      </span>
      <Icon name="chevronsUpDown" size={14} />
    </UnstyledButton>
  )
}
