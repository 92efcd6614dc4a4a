// The ways to sign in: at the identity provider, where there is one, and with an API key.
import '@mantine/core/styles/ActionIcon.layer.css'
import '@mantine/core/styles/PasswordInput.layer.css'
import '@mantine/core/styles/Alert.layer.css'
import '@mantine/core/styles/Stack.layer.css'
import '@mantine/core/styles/Divider.layer.css'
import { Alert, Button, Divider, PasswordInput, Stack } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ApiError, describeError } from '../api/api-error.ts'
import { PROVIDER_START, signIn, signInWays } from '../api/session.ts'
import { Icon } from './icon.tsx'

interface SignInFormProps {
  /** the page stays open: the provider is asked in another tab */
  readonly isOverPage?: boolean
  readonly onDone?: () => void
}

/** `onDone` is called when somebody has signed in. */
export function SignInForm({ isOverPage = false, onDone }: SignInFormProps) {
  const [key, setKey] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const queries = useQueryClient()
  const ways = useQuery({ queryKey: ['sign-in'], queryFn: signInWays, staleTime: Number.POSITIVE_INFINITY })
  const attempt = useMutation({
    mutationFn: signIn,
    meta: { isRead: true },
    onSuccess: () => {
      void queries.invalidateQueries()
      onDone?.()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (key.trim() !== '') attempt.mutate(key.trim())
  }
  const isWrong = attempt.error instanceof ApiError && attempt.error.status === 401
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {ways.data?.provider && (
          <>
            <Button
              component="a"
              size="sm"
              href={PROVIDER_START}
              target={isOverPage ? '_blank' : undefined}
              rightSection={isOverPage ? <Icon name="externalLink" size={14} /> : undefined}
            >
              Sign in with your account
            </Button>
            <Divider label="or" />
          </>
        )}
        <PasswordInput
          size="sm"
          label="API key"
          placeholder="zh_…"
          autoComplete="current-password"
          name="api-key"
          ref={field}
          value={key}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
          error={isWrong ? "This key doesn't exist. Check for typos, or it may have been revoked." : undefined}
          data-autofocus
          required
          withAsterisk={false}
        />
        {attempt.isError && !isWrong && (
          <Alert color="red" role="alert">
            {describeError(attempt.error).text}
          </Alert>
        )}
        <Button
          size="sm"
          variant={ways.data?.provider ? 'default' : 'filled'}
          type="submit"
          loading={attempt.isPending}
        >
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
