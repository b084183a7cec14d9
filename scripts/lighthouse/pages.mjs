// Runs Lighthouse over the pages of a house at the size of a telephone and of a desktop, and
// prints each page with a category below 100 and the audits that took points. The status at the
// end is 1 if there is one.
//
//   node pages.mjs HOUSE PASSWORD [accessibility,seo,... [PART-OF-A-PATH]]
import lighthouse, {desktopConfig} from 'lighthouse';
import * as launcher from 'chrome-launcher';

const [house, password, only = 'performance,accessibility,best-practices,seo', part = ''] = process.argv.slice(2);
const categories = only.split(',');

// pages are the kinds of pages that there are, by who sees them: nobody known, the same in Chinese,
// a guest with a seat, or one of the demonstration's staff.
const pages = {
	'': [
		'/', '/tables/vegas-1', '/rules', '/rules/us-3cp', '/rules/rws-3cp/4.7', '/rules/rws-3cp/scenario/5.8.6_whole_hands_moved',
		'/mathematics', '/mathematics/rws-3cp', '/mathematics/us-3cp/strategy', '/school', '/school/rws-3cp', '/school/rws-3cp/pay/three',
		'/school/us-3cp/rounds/abc-3-9999999999999-00000000000000000000000000000000', '/check', '/check?sample', '/jackpots', '/jackpots/linked', '/sign-in',
	],
	Chinese: ['/', '/tables/paris-1', '/rules/us-3cp', '/school', '/mathematics/fr-p3c', '/sign-in'],
	guest: ['/', '/tables/classic-1', '/tables/paris-1', '/tables/classic-1/rounds/1', '/account'],
	dealer: ['/console', '/console/classic-2', '/password', '/account', '/school/fr-p3c/rounds'],
	'pit-supervisor': ['/pit', '/pit/players', '/reports', '/reports/table-performance', '/console/classic-2/report/late-bet', '/players'],
	'shift-manager': ['/console', '/console/classic-2/rules'],
	cashier: ['/console'],
	surveillance: [
		'/surveillance', '/surveillance/tables/classic-1', '/surveillance/rounds', '/surveillance/rounds/classic-1/1', '/surveillance/log',
		'/surveillance/balance', '/surveillance/significant', '/surveillance/machines',
	],
	administrator: ['/console', '/users'],
	auditor: ['/surveillance', '/surveillance/log'],
};

const cookies = {'': '', Chinese: '', guest: await post('/tables/classic-1/sit', {box: '1', boxes: '1'})};
for (const name of Object.keys(pages)) cookies[name] ??= await post('/sign-in', {name, password});

async function post(path, form, cookie = '') {
	const answer = await fetch(house + path, {
		method: 'POST', redirect: 'manual', headers: {Cookie: cookie, Origin: house, 'Sec-Fetch-Site': 'same-origin'}, body: new URLSearchParams(form),
	});
	const set = answer.headers.getSetCookie().map((c) => c.split(';')[0]).join('; ');
	if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
	return set;
}

const chrome = await launcher.launch({chromePath: process.env.CHROME_PATH, chromeFlags: ['--headless', '--no-sandbox', '--disable-gpu']});
let below = 0, audited = 0;
try {
	for (const [name, paths] of Object.entries(pages)) {
		for (const path of paths.filter((p) => (part === '/' ? p === part : p.includes(part)))) {
			for (const [size, config] of [['telephone', undefined], ['desktop', desktopConfig]]) {
				audited++;
				below += await audit(name, path, size, config);
			}
		}
	}
} finally {
	await chrome.kill();
}
console.log(`${audited} pages audited, ${below} with a category below 100`);
process.exitCode = below ? 1 : 0;

async function audit(name, path, size, config) {
	const flags = {port: chrome.port, logLevel: 'error', onlyCategories: categories, output: 'json'};
	if (cookies[name]) flags.extraHeaders = {Cookie: cookies[name]};
	if (name === 'Chinese') flags.extraHeaders = {'Accept-Language': 'zh-Hans'};
	const {lhr} = await lighthouse(house + path, flags, config);
	const scores = Object.entries(lhr.categories).map(([key, c]) => [key, c.score === null ? null : Math.round(c.score * 100)]);
	const bad = scores.some(([, s]) => s !== 100) || lhr.runtimeError;
	console.log(`${bad ? 'BELOW' : 'ok'} ${path} ${size}${name && ' as ' + name} ${scores.map(([k, s]) => `${k} ${s}`).join(', ')}`);
	if (!bad) return 0;
	if (lhr.runtimeError) console.log('   ', lhr.runtimeError.message);
	for (const warning of lhr.runWarnings) console.log('    warning:', warning);
	for (const [key, c] of Object.entries(lhr.categories)) {
		for (const ref of c.auditRefs) {
			const entry = lhr.audits[ref.id];
			if (ref.weight === 0 || entry.score === null || entry.score >= (key === 'performance' ? 0.9 : 1)) continue;
			console.log(`    ${key}: ${ref.id}: ${entry.title} ${entry.displayValue ?? ''}`);
			for (const item of (entry.details?.items ?? []).slice(0, 5)) {
				console.log('       ', JSON.stringify(item.node?.snippet ?? item.description ?? item.source ?? item).slice(0, 300), item.node?.explanation ?? '');
			}
		}
	}
	return 1;
}
