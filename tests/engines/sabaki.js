// Drives `koridor engine` by Sabaki's modules as Sabaki does: @sabaki/gtp is the controller, @sabaki/sgf reads records.
//   node sabaki.js KORIDOR MODEL
'use strict'

const assert = require('assert')
const fs = require('fs')
const os = require('os')
const path = require('path')
const {Controller, ControllerStateTracker} = require('@sabaki/gtp')
const sgf = require('@sabaki/sgf')

const [, , program, model] = process.argv

async function must(controller, name, args = [], subscriber = undefined) {
  const response = await controller.sendCommand({name, args}, subscriber)
  assert(!response.error, `${name} ${args.join(' ')}: ${response.content}`)
  return response.content
}

// A whole game of the engine with itself, kept in step by the state tracker, which sets komi, size and moves.
async function playGame(controller) {
  const tracker = new ControllerStateTracker(controller)
  assert(await tracker.knowsCommand('kata-analyze'))
  const history = []
  const state = () => ({komi: 0.5, boardsize: [5, 5], history})
  await tracker.sync(state())
  let passes = 0
  for (let i = 0; i < 60 && passes < 2; i++) {
    const colour = i % 2 === 0 ? 'B' : 'W'
    const vertex = await must(controller, 'genmove', [colour])
    passes = vertex.toLowerCase() === 'pass' ? passes + 1 : 0
    history.push({name: 'play', args: [colour, vertex]})
  }
  assert.deepStrictEqual(tracker.state.boardsize, [5, 5])
  const last = history.pop()
  await tracker.sync(state()) // takes a move back
  history.push(last)
  await tracker.sync(state())
  return history
}

// The lines as they come, until another command ends them.
async function analyse(controller, name, args) {
  const lines = []
  const done = controller.sendCommand({name, args}, ({line}) => lines.push(line))
  await new Promise(resolve => setTimeout(resolve, 300))
  await must(controller, 'name')
  await done
  const infos = lines.filter(line => line.startsWith('info move '))
  assert(infos.length > 1, `${name}: ${lines.join('|')}`)
  // As Sabaki reads them: each move has numbers behind names, and then its line of play.
  for (const text of infos[0].split(/\s*info\s+/).slice(1)) {
    const match = text.match(/^move (\S+) visits (\d+) .*winrate (\S+) .*order (\d+) pv (.*)$/)
    assert(match, text)
    assert(match[5].split(' ')[0] === match[1], text)
  }
  return infos
}

async function main() {
  const controller = new Controller(program, ['engine', '--model', model, '--visits', '50'])
  const begin = Date.now()
  controller.start()
  await must(controller, 'name')
  const ready = Date.now() - begin
  const moves = await playGame(controller)

  // The record holds the moves that were played, with passes where a colour moved out of turn.
  const [root] = sgf.parse(await must(controller, 'printsgf'))
  assert.strictEqual(root.data.SZ[0], '5')
  const points = []
  for (let node = root.children[0]; node; node = node.children[0]) points.push((node.data.B || node.data.W)[0])
  const letters = 'abcde'
  const wanted = moves.map(({args}) => {
    if (args[1].toLowerCase() === 'pass') return ''
    return letters['ABCDE'.indexOf(args[1][0])] + letters[5 - Number(args[1][1])]
  })
  assert.deepStrictEqual(points, wanted)

  // A record that Sabaki's module writes is read.
  const file = path.join(os.tmpdir(), `koridor-sabaki-${process.pid}.sgf`)
  fs.writeFileSync(file, sgf.stringify([root]))
  await must(controller, 'loadsgf', [file])
  fs.unlinkSync(file)
  assert.match(await must(controller, 'final_score'), /^([BW]\+[0-9.]+|0)$/)
  await must(controller, 'clear_board')
  const winrates = await analyse(controller, 'lz-analyze', ['B', '5'])
  const owners = await analyse(controller, 'kata-analyze', ['W', '5', 'ownership', 'true'])
  const shares = owners[0].split(' ownership ')[1]
  if (shares !== undefined) {
    const numbers = shares.trim().split(/\s+/).map(Number)
    assert.strictEqual(numbers.length, 25)
    assert(numbers.every(share => share >= -1 && share <= 1))
  }

  await controller.stop()
  console.log(
    `sabaki: a game of ${moves.length} moves, ${winrates.length} and ${owners.length} lines of analysis, ` +
      `a record both ways; the first answer after ${ready} ms`
  )
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
