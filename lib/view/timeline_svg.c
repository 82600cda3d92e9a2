/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timeline as a picture that needs nothing else: areas that stand on each other, and a script
 * that shows the values below the pointer. The script holds numbers alone; names are text of the
 * picture.
 */
#include <errno.h>

#include "row_text.h"
#include "course.h"
#include "plot_axis.h"
#include "top.h"

/* Pixels. */
#define WIDTH 1200
#define LEFT 90
#define TOP 64
#define PLOT_WIDTH (WIDTH - LEFT - 40)
#define PLOT_HEIGHT 420
#define LINE 18
/* Characters of a line of notes. */
#define NOTE 165

/* Told apart also by those who see few colours; what isn't a row of its own is grey. */
static const char *const COLORS[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee",
	"#aa3377", "#997700", "#44bb99", "#ee8866", "#6699cc"};
#define REST "#bbbbbb"
#define WHOLE "#4477aa"

struct picture {
	const struct sm_timeline_view *view;
	const struct sm_timeline *t;
	const struct series_names *names;
	struct sm_out *out;
	uint64_t top, step;
	struct sm_buf scratch;
};

static void put_text(struct picture *p, const char *s)
{
	struct sm_buf visible = {0};

	sm_buf_add_visible(&visible, s, strlen(s));
	if (visible.len)
		sm_out_xml(p->out, visible.data, visible.len);
	if (visible.failed && !p->out->errnum)
		p->out->errnum = ENOMEM;
	sm_buf_release(&visible);
}

static void flush(struct picture *p)
{
	if (p->scratch.len)
		sm_out_xml(p->out, p->scratch.data, p->scratch.len);
	sm_buf_reset(&p->scratch);
}

static const char *color_of(const struct picture *p, size_t series)
{
	if (!p->names->n)
		return WHOLE;
	return series + 1 == p->names->n ? REST : COLORS[series % SM_ARRAY_SIZE(COLORS)];
}

/* ---- places, in tenths of a pixel ---- */

static void put_tenths(struct picture *p, uint64_t v)
{
	sm_out_u64(p->out, v / 10);
	if (v % 10) {
		sm_out_char(p->out, '.');
		sm_out_char(p->out, (char)('0' + v % 10));
	}
}

static uint64_t x_of(const struct picture *p, uint64_t ts)
{
	uint64_t window = p->t->to > p->t->from ? p->t->to - p->t->from : 1;
	uint64_t since = ts > p->t->from ? ts - p->t->from : 0;

	/* All at one moment: as wide as the picture. */
	if (p->t->to <= p->t->from)
		since = 1;
	return LEFT * 10 + (uint64_t)((unsigned __int128)since * PLOT_WIDTH * 10 / window);
}

static uint64_t y_of(const struct picture *p, uint64_t value)
{
	uint64_t most = value < p->top ? value : p->top;

	return (TOP + PLOT_HEIGHT) * 10 -
	       (uint64_t)((unsigned __int128)most * PLOT_HEIGHT * 10 / p->top);
}

/* What the first `series` of them come to; of all where there are none. */
static uint64_t stacked(const struct picture *p, size_t series, size_t i)
{
	uint64_t sum = 0;

	if (!p->names->n)
		sum = sm_timeline_value(&p->t->points[i], p->view->by);
	for (size_t s = 0; s < series && s < p->names->n; s++)
		sum += series_value(p->t, s, i);
	return course_scaled(p->view, sum, course_length(p->t));
}

static uint64_t highest(const struct picture *p, size_t i)
{
	const struct sm_timeline_point *point = &p->t->points[i];

	if (p->view->by == SM_M_LIVE_COUNT)
		return point->count.max;
	if (p->view->by == SM_M_LIVE_BYTES)
		return point->bytes.max;
	return course_scaled(p->view, sm_timeline_value(point, p->view->by), course_length(p->t));
}

/* ---- parts ---- */

typedef uint64_t (*height_at)(const struct picture *p, size_t series, size_t i);

static uint64_t highest_course(const struct picture *p, size_t series, size_t i)
{
	(void)series;
	return highest(p, i);
}

/* Steps from left to right, and back along the bottom. Where the height stays, nothing is written.
 */
static void draw_area(struct picture *p, height_at height, size_t series)
{
	uint64_t last = (TOP + PLOT_HEIGHT) * 10;

	sm_out_f(p->out, " d=\"M%u %u", LEFT, TOP + PLOT_HEIGHT);
	for (size_t i = 0; i < p->t->n && !sm_out_failed(p->out); i++) {
		uint64_t y = y_of(p, height(p, series, i));

		if (y != last) {
			sm_out_char(p->out, 'V');
			put_tenths(p, y);
			last = y;
		}
		if (i + 1 < p->t->n && y_of(p, height(p, series, i + 1)) == y)
			continue;
		sm_out_char(p->out, 'H');
		put_tenths(p, x_of(p, p->t->points[i].ts));
	}
	sm_out_f(p->out, "V%uZ\"", TOP + PLOT_HEIGHT);
}

static void draw_areas(struct picture *p)
{
	size_t n = p->names->n ? p->names->n : 1;

	if (!sm_timeline_is_rate(p->view->by)) {
		sm_out_str(p->out, "<path fill=\"#e4e4e4\"");
		draw_area(p, highest_course, 0);
		sm_out_str(p->out, "><title>reached within an interval</title></path>\n");
	}
	/* The whole stack first, the lower ones over it. */
	for (size_t s = n; s-- > 0;) {
		sm_out_f(p->out, "<path fill=\"%s\"", color_of(p, s));
		draw_area(p, stacked, s + 1);
		sm_out_str(p->out, "><title>");
		put_text(p, p->names->n ? p->names->items[s] : "all");
		sm_out_str(p->out, "</title></path>\n");
	}
}

static void draw_gaps(struct picture *p)
{
	for (size_t i = 0; i < p->t->n; i++) {
		uint64_t from = i ? p->t->points[i - 1].ts : p->t->from, lost = 0, unknown = 0;
		uint64_t x, end;

		if (!p->t->points[i].gap)
			continue;
		for (;; i++) {
			lost += p->t->points[i].lost;
			unknown += p->t->points[i].lost_unknown;
			if (i + 1 == p->t->n || !p->t->points[i + 1].gap)
				break;
		}
		x = p->t->n == 1 ? LEFT * 10 : x_of(p, from);
		end = x_of(p, p->t->points[i].ts);
		sm_out_str(p->out, "<rect class=\"gap\" fill=\"url(#gap)\" x=\"");
		put_tenths(p, x);
		sm_out_f(p->out, "\" y=\"%u\" height=\"%u\" width=\"", TOP, PLOT_HEIGHT);
		put_tenths(p, end > x + 10 ? end - x : 10);
		sm_out_f(p->out,
			"\"><title>%llu events lost, and %llu losses of unknown "
			"size</title></rect>\n",
			(unsigned long long)lost, (unsigned long long)unknown);
	}
}

static void draw_axes(struct picture *p)
{
	uint64_t window = p->t->to - p->t->from, step = axis_time_step(window, 10);
	const struct sm_trace *trace = p->view->profile->trace;

	sm_out_str(p->out, "<g stroke=\"#888\" stroke-width=\"1\" text-anchor=\"end\">\n");
	for (uint64_t v = 0;; v += p->step) {
		sm_out_f(p->out, "<path d=\"M%u ", LEFT);
		put_tenths(p, y_of(p, v));
		sm_out_f(p->out, "h%u\" stroke-opacity=\"%s\"/><text x=\"%u\" y=\"", PLOT_WIDTH,
			v ? "0.25" : "1", LEFT - 8);
		put_tenths(p, y_of(p, v) + 40);
		sm_out_str(p->out, "\" stroke=\"none\">");
		sm_timeline_value_text(p->view, v, &p->scratch);
		flush(p);
		sm_out_str(p->out, "</text>\n");
		if (v > p->top - p->step)
			break;
	}
	sm_out_str(p->out, "</g>\n<g stroke=\"#888\" text-anchor=\"middle\">\n");
	for (uint64_t x = 0; x <= window; x += step) {
		sm_out_str(p->out, "<path d=\"M");
		put_tenths(p, window ? x_of(p, p->t->from + x) : LEFT * 10);
		sm_out_f(p->out, " %uv6\"/><text stroke=\"none\" y=\"%u\" x=\"", TOP + PLOT_HEIGHT,
			TOP + PLOT_HEIGHT + 20);
		put_tenths(p, window ? x_of(p, p->t->from + x) : LEFT * 10);
		sm_out_str(p->out, "\">");
		if (trace->clock_is_time)
			axis_time_text(x, step, &p->scratch);
		else
			sm_buf_addf(&p->scratch, "%llu", (unsigned long long)x);
		flush(p);
		sm_out_str(p->out, "</text>\n");
		if (x > UINT64_MAX - step)
			break;
	}
	sm_out_f(p->out, "<text stroke=\"none\" text-anchor=\"start\" x=\"%u\" y=\"%u\">", LEFT,
		TOP + PLOT_HEIGHT + 40);
	course_origin_text(p->view, &p->scratch);
	flush(p);
	sm_out_str(p->out, "</text>\n</g>\n");
}

static void draw_peak(struct picture *p)
{
	struct sm_timeline_peak peak = sm_timeline_peak(p->t, p->view->by);
	bool right;
	uint64_t x;

	if (!peak.value)
		return;
	x = x_of(p, peak.ts);
	right = x > (LEFT + PLOT_WIDTH / 2) * 10;
	sm_out_str(p->out, "<g id=\"peak\"><path stroke=\"#000\" stroke-dasharray=\"4 3\" d=\"M");
	put_tenths(p, x);
	sm_out_f(p->out, " %uv%u\"/><text font-weight=\"bold\" text-anchor=\"%s\" y=\"%u\" x=\"",
		TOP - 6, PLOT_HEIGHT + 6, right ? "end" : "start", TOP - 10);
	put_tenths(p, x);
	sm_out_str(p->out, "\">");
	sm_timeline_peak_text(p->view, &p->scratch);
	flush(p);
	sm_out_str(p->out, "</text></g>\n");
}

static void put_value(struct picture *p, uint64_t value)
{
	if (sm_profile_is_bytes(p->view->profile, p->view->by))
		sm_human_bytes(value, &p->scratch);
	else
		sm_human_count(value, &p->scratch);
	flush(p);
}

/* One line: its colour, its value (the script writes others there), its name. */
static void draw_entry(
	struct picture *p, unsigned y, const char *color, uint64_t value, const char *name)
{
	sm_out_f(p->out,
		"<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" fill=\"%s\"/>"
		"<text class=\"v\" x=\"%u\" y=\"%u\" text-anchor=\"end\">",
		LEFT, y - 10, color, LEFT + 130, y);
	put_value(p, value);
	sm_out_f(p->out, "</text><text x=\"%u\" y=\"%u\">", LEFT + 145, y);
	put_text(p, name);
	sm_out_str(p->out, "</text>\n");
}

static unsigned draw_legend(struct picture *p, unsigned y)
{
	const struct sm_table *table = p->view->table;
	sm_out_f(p->out, "<text id=\"when\" x=\"%u\" y=\"%u\" fill=\"#555\">%s</text>\n", LEFT, y,
		course_when(p->view));
	y += LINE + 2;
	draw_entry(p, y, "none", course_whole(p->view), "all");
	for (size_t s = 0; s < p->names->n; s++) {
		bool rest = s + 1 == p->names->n;

		y += LINE;
		draw_entry(p, y, color_of(p, s),
			rest ? table->hidden_value : table->rows[s].m[table->opts.by],
			p->names->items[s]);
	}
	return y + LINE;
}

/* The scratch buffer in lines of words. */
static unsigned draw_note(struct picture *p, unsigned y, const char *color)
{
	const char *s = p->scratch.data;
	size_t left = p->scratch.len;

	while (left) {
		size_t n = left < NOTE ? left : NOTE;

		while (n < left && n > NOTE / 2 && s[n] != ' ')
			n--;
		y += LINE;
		sm_out_f(p->out, "<text x=\"%u\" y=\"%u\" fill=\"%s\">", LEFT, y, color);
		sm_out_xml(p->out, s, n);
		sm_out_str(p->out, "</text>\n");
		s += n;
		left -= n;
	}
	sm_buf_reset(&p->scratch);
	return y;
}

static unsigned draw_notes(struct picture *p, unsigned y)
{
	sm_timeline_loss_text(p->view, &p->scratch);
	y = draw_note(p, y, "#b00");
	course_baseline_text(p->view, &p->scratch);
	y = draw_note(p, y, "#555");
	course_health_text(p->view, &p->scratch);
	return draw_note(p, y, "#555");
}

static void put_numbers(struct picture *p, size_t series)
{
	sm_out_char(p->out, '[');
	for (size_t i = 0; i < p->t->n && !sm_out_failed(p->out); i++) {
		if (i)
			sm_out_char(p->out, ',');
		sm_out_u64(p->out, series < p->names->n
					   ? series_value(p->t, series, i)
					   : sm_timeline_value(&p->t->points[i], p->view->by));
	}
	sm_out_str(p->out, "]");
}

/* The first list is the whole, then the series. Times are ns since the begin. */
static void put_script(struct picture *p)
{
	static const char code[] =
		"const svg=document.documentElement,when=document.getElementById('when'),"
		"cursor=document.getElementById('cursor'),v=[...document.querySelectorAll('.v')],"
		"before=[when,...v].map(e=>e.textContent);\n"
		"function human(n){if(!bytes)return n.toLocaleString('en');"
		"const u=['B','KiB','MiB','GiB','TiB','PiB','EiB'];let i=0;"
		"while(n>=1024&&i<6){n/=1024;i++}return(i?n.toFixed(1):n)+' '+u[i]}\n"
		"svg.addEventListener('mousemove',e=>{"
		"const p=new "
		"DOMPoint(e.clientX,e.clientY).matrixTransform(svg.getScreenCTM().inverse());"
		"if(p.x<left||p.x>left+width||p.y<above||p.y>above+height)return leave();"
		"const i=Math.min(data[0].length-1,Math.floor((p.x-left)/width*span/interval)),"
		"end=Math.min((i+1)*interval,span);"
		"when.textContent=(seconds?'+'+(end/1e9).toFixed(6)+' s':'+'+end)"
		"+(gaps.includes(i)?', events are missing here':'');"
		"data.forEach((d,k)=>v[k].textContent=human(d[i]));"
		"cursor.setAttribute('d','M'+p.x+' '+above+'v'+height)});\n"
		"function leave(){[when,...v].forEach((e,i)=>e.textContent=before[i]);"
		"cursor.setAttribute('d','')}\n"
		"svg.addEventListener('mouseleave',leave);\n";
	const char *comma = "";

	sm_out_f(p->out,
		"<script><![CDATA[\n(()=>{const left=%u,above=%u,width=%u,height=%u,span=%llu,"
		"interval=%llu,bytes=%s,seconds=%s,\ngaps=[",
		LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT,
		(unsigned long long)(p->t->to > p->t->from ? p->t->to - p->t->from : 1),
		(unsigned long long)p->t->interval,
		sm_profile_is_bytes(p->view->profile, p->view->by) ? "true" : "false",
		p->view->profile->trace->clock_is_time ? "true" : "false");
	for (size_t i = 0; i < p->t->n; i++) {
		if (!p->t->points[i].gap)
			continue;
		sm_out_f(p->out, "%s%zu", comma, i);
		comma = ",";
	}
	sm_out_str(p->out, "],\ndata=[");
	put_numbers(p, SIZE_MAX);
	for (size_t s = 0; s < p->names->n; s++) {
		sm_out_str(p->out, ",\n");
		put_numbers(p, s);
	}
	sm_out_str(p->out, "];\n");
	sm_out_str(p->out, code);
	sm_out_str(p->out, "})();\n]]></script>\n");
}

static void put_title(struct picture *p)
{
	const struct sm_trace *trace = p->view->profile->trace;

	sm_out_str(p->out, sm_metric_name(p->view->by));
	if (p->names->n)
		sm_out_f(p->out, " by %s",
			row_text_group(p->view->table->opts.group, p->view->table->opts.attr));
	if (p->t->n && trace->clock_is_time) {
		sm_buf_adds(&p->scratch, ", intervals of ");
		sm_human_ns(p->t->interval, &p->scratch);
		flush(p);
	}
	if (trace->kernel_release) {
		sm_out_str(p->out, ", kernel ");
		put_text(p, trace->kernel_release);
	}
}

static void draw(struct picture *p)
{
	unsigned legend = TOP + PLOT_HEIGHT + 40 + 2 * LINE;
	/* The notes are at most some lines more than what follows the legend. */
	size_t height = legend + (p->names->n + 12) * LINE;
	unsigned y;

	sm_out_f(p->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%zu\" "
		"viewBox=\"0 0 %u %zu\" font-family=\"sans-serif\" font-size=\"12\">\n<title>",
		WIDTH, height, WIDTH, height);
	put_title(p);
	sm_out_str(p->out,
		"</title>\n<defs><pattern id=\"gap\" width=\"6\" height=\"6\" "
		"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		"<path d=\"M0 0v6\" stroke=\"#b00\" stroke-width=\"2\" stroke-opacity=\"0.5\"/>"
		"</pattern></defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	sm_out_f(p->out, "<text x=\"%u\" y=\"24\" font-size=\"16\">", LEFT);
	put_title(p);
	sm_out_str(p->out, "</text>\n");
	if (p->t->n) {
		draw_areas(p);
		draw_gaps(p);
		draw_axes(p);
		draw_peak(p);
		y = draw_legend(p, legend);
	} else {
		sm_out_f(p->out, "<text x=\"%u\" y=\"%u\">no events in that window</text>\n", LEFT,
			TOP + LINE);
		y = TOP + 2 * LINE;
	}
	draw_notes(p, y);
	if (p->t->n) {
		sm_out_str(
			p->out, "<path id=\"cursor\" stroke=\"#000\" stroke-opacity=\"0.6\"/>\n");
		put_script(p);
	}
	sm_out_str(p->out, "</svg>\n");
}

void sm_timeline_svg(const struct sm_timeline_view *view, const struct sm_timeline_style *style,
	struct sm_out *out)
{
	struct series_names names;
	struct picture p = {.view = view, .t = view->timeline, .names = &names, .out = out};
	uint64_t most = 0;

	(void)style;
	series_names_make(&names, view, out);
	for (size_t i = 0; i < p.t->n; i++)
		most = highest(&p, i) > most ? highest(&p, i) : most;
	axis_scale(most, sm_profile_is_bytes(view->profile, view->by), 6, &p.top, &p.step);
	draw(&p);
	if (p.scratch.failed && !out->errnum)
		out->errnum = ENOMEM;
	sm_buf_release(&p.scratch);
	series_names_release(&names);
}
