// The form that exchanges an API key for a session.
import '@mantine/core/styles/ActionIcon.layer.css'
import '@mantine/core/styles/PasswordInput.layer.css'
import '@mantine/core/styles/Alert.layer.css'
import '@mantine/core/styles/Stack.layer.css'
import { Alert, Button, PasswordInput, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, describeError } from '../api/api-error.ts'
import { signIn } from '../api/session.ts'

/** `onDone` is called when somebody has signed in. */
export function SignInForm({ onDone }: { readonly onDone?: () => void }) {
  const [key, setKey] = useState('')
  const queries = useQueryClient()
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
        <PasswordInput
          size="sm"
          label="API key"
          placeholder="zh_…"
          autoComplete="current-password"
          name="api-key"
          value={key}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
          error={isWrong ? 'No such key: it was typed wrong, or taken back.' : undefined}
          data-autofocus
          required
          withAsterisk={false}
        />
        {attempt.isError && !isWrong && (
          <Alert color="red" role="alert">
            {describeError(attempt.error).text}
          </Alert>
        )}
        <Button size="sm" type="submit" loading={attempt.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
