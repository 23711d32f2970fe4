import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTurn, type Turn, Turns } from '../../src/store/turns.ts'

/** Requests the turn, and notes when it comes. */
function request(turns: Turns, turn: Turn, begun: Turn[]): Promise<void> {
  return turns.acquire(turn).then(() => void begun.push(turn))
}

const owner = () => ({ name: 'process 1', alive: true })

test('transactions take turns in the order of their requests', async () => {
  const turns = new Turns()
  const begun: Turn[] = []
  const [a, b, c] = [newTurn(owner()), newTurn(owner()), newTurn(owner())]
  const requests = [a, b, c].map(turn => request(turns, turn, begun))
  await requests[0]
  assert.deepEqual([begun, turns.has(b)], [[a], false])
  turns.release(a)
  await requests[1]
  turns.release(b)
  await requests[2]
  assert.deepEqual([begun.length, turns.has(c)], [3, true])
})

test('a read that has timed out leaves the queue, and the turn stays where it is', async () => {
  const turns = new Turns()
  const begun: Turn[] = []
  const [writer, read, next] = [newTurn(owner()), newTurn(owner()), newTurn(owner())]
  await request(turns, writer, begun)
  void request(turns, read, begun)
  const last = request(turns, next, begun)
  turns.release(read)
  assert.equal(turns.has(writer), true)
  turns.release(writer)
  await last
  assert.deepEqual([begun.includes(read), turns.has(next)], [false, true])
})

test('a dead process does not get its turn', async () => {
  const turns = new Turns()
  const begun: Turn[] = []
  const dead = owner()
  const [writer, waiting, next] = [newTurn(owner()), newTurn(dead), newTurn(owner())]
  await request(turns, writer, begun)
  void request(turns, waiting, begun)
  const last = request(turns, next, begun)
  dead.alive = false
  turns.release()
  await last
  assert.deepEqual([begun.includes(waiting), turns.process], [false, next.process])
})
