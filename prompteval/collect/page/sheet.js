
"use strict";
const sheet = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const prefix = `prompteval ${sheet.sheet} `; // one storage for all pages of file://
const store = {
  get(name) { try { return localStorage.getItem(prefix + name); } catch { return null; } },
  list(name) { try { return [...JSON.parse(this.get(name))]; } catch { return []; } },
  set(name, text) { try { localStorage.setItem(prefix + name, text); return true; } catch { return false; } },
  drop(name) { try { localStorage.removeItem(prefix + name); } catch { /* nothing is kept there */ } },
};
let saved = store.get("saved") === "yes";
let gaps = store.list("gaps"); // milliseconds from one reply to the next
let last = null; // when the first prompt was copied, then when the last reply came
let current = store.get("current"); // the card whose prompt was copied last
let doubts = new Set(store.list("doubts")); // the cards that got a reply while it was another one

const cards = sheet.cards.map(([digest, transcript], index) => {
  const item = $("card").content.cloneNode(true).firstElementChild;
  const [heading, copy, prompt, box, found] = item.children;
  const number = index + 1;
  heading.append(`${number} of ${sheet.cards.length} `, element("small", { textContent: digest.slice(0, 8) }));
  item.id = `card-${number}`;
  found.id = `found-${number}`;
  copy.setAttribute("aria-label", `Copy prompt ${number}`);
  box.setAttribute("aria-label", `Reply ${number}`);
  box.setAttribute("aria-describedby", found.id);
  const text = sheet.before + transcript + sheet.after;
  const card = { digest, number, item, copy, prompt, box, found, text, reply: "", kept: true, seen: null };
  copy.addEventListener("click", () => copyPrompt(card, true));
  prompt.addEventListener("copy", () => wentOut(card));
  box.addEventListener("paste", () => box.select()); // a paste replaces what is there, and Ctrl-Z brings it back
  box.addEventListener("input", (event) => changed(card, event.inputType === "insertFromPaste"));
  return card;
});

function element(name, properties) { return Object.assign(document.createElement(name), properties); }
function say(text) { $("said").textContent = text; }
function replies(number) { return `${number} ${number === 1 ? "reply" : "replies"}`; }
function put(node, text) { if (node.textContent !== text) node.textContent = text; } // or a screen reader says it again

async function copyPrompt(card, asked, before = "") {
  try {
    await navigator.clipboard.writeText(card.text);
    wentOut(card, before);
  } catch { // refused, or not there
    card.copy.focus();
    if (!asked) return;
    card.prompt.hidden = false;
    card.prompt.value = card.text;
    card.prompt.focus();
    card.prompt.select();
    say(`The browser refused the clipboard. Prompt ${card.number} is selected: copy it with Ctrl-C.`);
  }
}

function wentOut(card, before = "") {
  last ??= Date.now();
  current = card.digest;
  store.set("current", current);
  say(`${before}Prompt ${card.number} is copied; its reply goes into card ${card.number}.`);
  setTimeout(() => { // after the browser's own copy of what is selected
    card.prompt.hidden = true;
    card.box.focus({ preventScroll: true });
    card.item.scrollIntoView({ block: "nearest" });
  });
  show();
}

function changed(card, pasted) {
  if (isPrompt(card, card.box.value)) {
    card.box.value = card.reply;
    say(`Card ${card.number}: that was the prompt, not its reply. Copy the reply, then paste it.`);
    return;
  }
  const first = !card.reply;
  take(card, card.box.value);
  card.kept = card.reply ? store.set(card.digest, card.reply) : (store.drop(card.digest), true);
  saved = false;
  store.drop("saved");
  if (pasted || first) {
    if (current === card.digest) doubts.delete(card.digest); else doubts.add(card.digest);
    store.set("doubts", JSON.stringify([...doubts]));
  }
  if (first && card.reply) paced();
  show();
  if (!pasted) return;
  const found = `Card ${card.number}: ${card.found.textContent} `;
  say(found);
  const next = [...cards.slice(card.number), ...cards].find((each) => !each.reply);
  if (!next) { $("save").focus(); return; }
  next.item.scrollIntoView({ block: "nearest" });
  if ($("next").checked) copyPrompt(next, false, found); else next.copy.focus();
}

function take(card, text) {
  card.reply = text.trim() ? text : "";
  card.seen = card.reply ? look(card.reply) : null;
}

function paced() {
  const now = Date.now();
  if (last && now - last < 600000) gaps = [...gaps.slice(-19), now - last]; // a longer one is a break
  last = now;
  store.set("gaps", JSON.stringify(gaps));
}

// What is in a reply, for the eye alone: `prompteval save --sheet` reads it again and decides.
function look(reply) {
  const values = [];
  const opening = sheet.types.some(([, pointer]) => !pointer) ? /\{(?=\s*["}])|\[(?=\s*["{[\]])/g : /\{(?=\s*["}])/g;
  for (let match; (match = opening.exec(reply));) {
    const end = endOf(reply, match.index);
    if (end === null) return { good: false, text: "The JSON in it does not end. Was the whole reply copied?" };
    try {
      values.push(JSON.parse(reply.slice(match.index, end)));
    } catch {
      return { good: false, text: "What looks like JSON in it is not JSON." };
    }
    opening.lastIndex = end;
  }
  if (!values.length) return { good: false, text: "No JSON in it. Was the whole reply copied?" };
  if (values.length > 1) return { good: false, text: `${values.length} JSON objects in it, and one is expected.` };
  const at = (pointer) => pointer.split("/").slice(1).reduce((value, key) => value?.[key], values[0]);
  const lists = sheet.types.map(([type, pointer]) => [type, at(pointer)]);
  const counts = lists.map(([type, list]) => `${Array.isArray(list) ? list.length : "no list of"} ${type}`);
  return {
    good: lists.every(([, list]) => Array.isArray(list)),
    full: lists.some(([, list]) => list?.length),
    text: `1 JSON object: ${counts.join(", ")}.`,
  };
}

function endOf(text, start) {
  const mark = /\\.|["[\]{}]/gs;
  mark.lastIndex = start;
  let depth = 0, quoted = false;
  for (let match; (match = mark.exec(text));) {
    if (match[0] === '"') quoted = !quoted;
    else if (!quoted && "[{".includes(match[0])) depth += 1;
    else if (!quoted && "]}".includes(match[0]) && (depth -= 1) === 0) return mark.lastIndex;
  }
  return null;
}

function isPrompt(card, pasted) {
  const text = pasted.trim(), before = sheet.before.trim();
  return text === card.text.trim() || (before.length > 40 && text.startsWith(before));
}

// The slips that put a reply on the wrong card.
function slips(card, twins) {
  const empty = card.seen.good && !card.seen.full; // as many replies may be
  const same = empty ? [] : twins.get(card.reply.trim()).filter((number) => number !== card.number);
  return [
    ...(same.length ? [`The same text as card ${same.join(", ")}.`] : []),
    ...(doubts.has(card.digest) ? ["Its prompt was not the one copied last. Is it the reply to this card?"] : []),
  ];
}

function show() {
  const done = cards.filter((card) => card.reply), twins = new Map();
  for (const card of done) twins.set(card.reply.trim(), [...(twins.get(card.reply.trim()) ?? []), card.number]);
  const doubtful = [];
  for (const card of cards) {
    const wrong = card.reply ? slips(card, twins) : [];
    const lost = card.reply && !card.kept ? ["Not kept: save replies now."] : [];
    const bad = wrong.length + lost.length > 0 || (card.reply && !card.seen.good);
    if (bad) doubtful.push(card.number);
    put(card.found, card.reply ? [`${bad ? "⚠ " : "✓ "}${card.seen.text}`, ...wrong, ...lost].join(" ") : "");
    card.found.className = bad ? "found look" : "found";
  }
  $("bar").max = cards.length;
  $("bar").value = done.length;
  put($("progress"), `${done.length} of ${cards.length} replies${rest(cards.length - done.length)}`);
  const lost = done.some((card) => !card.kept);
  put($("alarm"), lost ? "The browser's storage is full or closed. Not kept: save replies now." : "");
  $("look").replaceChildren();
  if (doubtful.length) $("look").append("Look again at card ");
  for (const number of doubtful.slice(0, 10)) $("look").append(element("a", { href: `#card-${number}`, textContent: number }), " ");
  if (doubtful.length > 10) $("look").append("…");
  document.title = `${done.length}/${cards.length} ${sheet.results}`;
}

function rest(left) {
  if (!left) return saved ? ", all saved" : ": save them now";
  if (!gaps.length) return ", no estimate yet";
  const minutes = Math.round([...gaps].sort((a, b) => a - b)[gaps.length >> 1] * left / 60000);
  return minutes ? `, about ${minutes} min left` : ", less than a minute left";
}

$("save").addEventListener("click", () => {
  const done = cards.filter((card) => card.reply);
  if (!done.length) { say("There is no reply yet."); return; }
  const texts = Object.fromEntries(done.map((card) => [card.digest, card.reply.toWellFormed?.() ?? card.reply]));
  const text = JSON.stringify({ results: sheet.results, prompt: sheet.prompt, replies: texts }, null, 1) + "\n";
  const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = element("a", { href, download: `${sheet.results}.replies.json` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 60000);
  saved = true;
  store.set("saved", "yes");
  show();
  say(`Saved ${done.length} of ${cards.length} replies as ${link.download}, where this browser puts downloads.`);
});

$("clear").addEventListener("click", () => {
  const count = cards.filter((card) => card.reply).length;
  const warning = count && !saved ? " Not all of it was saved." : "";
  if (!confirm(`Empty this page and its part of the browser's storage? It has ${replies(count)}.${warning}`)) return;
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) localStorage.removeItem(name);
  } catch { /* there is no storage */ }
  for (const card of cards) { card.box.value = ""; take(card, ""); card.kept = true; }
  [saved, gaps, last, current, doubts] = [false, [], null, null, new Set()];
  show();
  say("This page and its part of the storage are empty.");
});

addEventListener("beforeunload", (event) => {
  if (saved || !cards.some((card) => card.reply)) return;
  event.preventDefault();
  event.returnValue = true;
});

addEventListener("storage", (event) => { // the same sheet in another window
  const card = cards.find((each) => event.key === prefix + each.digest);
  if (!card) return;
  if (event.newValue !== null) { card.box.value = event.newValue; take(card, event.newValue); }
  card.kept = event.newValue !== null;
  saved = false;
  show();
});

$("name").textContent = sheet.results;
$("command").textContent = sheet.command;
for (const card of cards) {
  const text = store.get(card.digest);
  if (text !== null) { card.box.value = text; take(card, text); }
}
$("cards").append(...cards.map((card) => card.item));
show();
const back = cards.filter((card) => card.reply).length;
if (back) say(`${replies(back)} came back from the storage of this browser. For a new run, press Clear.`);
