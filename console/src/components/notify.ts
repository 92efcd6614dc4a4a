// Short messages at the corner of the page: what was done, and what failed where no other place says it.
import { describeError } from '../api/api-error.ts'

const FAILURE_MS = 10_000

export function notifyFailure(title: string, error: unknown): void {
  void show({ title, message: describeError(error).text, color: 'red', autoClose: FAILURE_MS, role: 'alert' })
}

/** The library is loaded with the first message. */
async function show(message: Parameters<typeof import('@mantine/notifications').notifications.show>[0]): Promise<void> {
  const { notifications } = await import('@mantine/notifications')
  notifications.show(message)
}
