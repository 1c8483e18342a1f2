package main

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// palette is Okabe and Ito's, which the colour-blind can distinguish. On white, which the chart brings along, it is readable
// wherever the page is dark.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	color.RGBA{0xd5, 0x5e, 0x00, 0xff},
}

const (
	chartWidth   = 10 * vg.Inch
	chartHeight  = 5 * vg.Inch
	legendHeight = 1.4 * vg.Inch
)

// panel is a plot, and the legend below it: on the plot, it would lie on the lines.
type panel struct {
	*plot.Plot
	legend plot.Legend
}

func newPanel() panel {
	p := panel{plot.New(), plot.NewLegend()}
	p.BackgroundColor = color.White
	p.legend.Top, p.legend.Left = true, true
	p.legend.Padding, p.legend.ThumbnailWidth = 3, 16
	return p
}

// chart draws the results that there are.
func chart(r *results, path string) error {
	plot.DefaultFont.Variant = "Sans"
	multiples, err := multiplesPlot(r.CLI)
	if err != nil {
		return err
	}
	swaps, err := swapsPlot(r.Engine)
	if err != nil {
		return err
	}
	canvas := vgsvg.New(chartWidth, chartHeight)
	drawPanels(draw.New(canvas), multiples, swaps)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	// It names one font, and few have that.
	svg := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	return os.WriteFile(path, svg, 0o644) //nolint:gosec // it is part of the repository
}

// drawPanels draws panels side by side on white.
func drawPanels(c draw.Canvas, panels ...panel) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	tiles := draw.Tiles{Rows: 1, Cols: len(panels), PadX: vg.Millimeter * 8, PadTop: 12, PadBottom: 8, PadLeft: 8, PadRight: 16}
	for i, p := range panels {
		tile := tiles.At(c, i, 0)
		p.Draw(draw.Crop(tile, 0, 0, legendHeight, 0))
		p.legend.Draw(draw.Crop(tile, 40, 0, 0, legendHeight-tile.Size().Y-8))
	}
}

// multiplesPlot has a bar for each step of the command line and each setting, with entries of one ConfigMap.
func multiplesPlot(rows []cliRow) (panel, error) {
	p := newPanel()
	p.Title.Text = "Terraform commands, with entries of one ConfigMap"
	p.Y.Label.Text = "time, relative"
	p.Y.Min = 0
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = step.name
	}
	p.NominalX(names...)

	series := map[string]plotter.Values{}
	var order []string
	for _, row := range rows {
		if row.Subject == subjectFloor || row.Shape != oneMap {
			continue
		}
		name := fmt.Sprintf("%s, %d entries, API server %s", row.Subject, row.Entries, strings.ReplaceAll(row.Place, loopback, "on this machine"))
		if series[name] == nil {
			order = append(order, name)
		}
		series[name] = append(series[name], row.multiple(rows))
		p.Y.Max = max(p.Y.Max, 1.1*row.multiple(rows))
	}
	width := vg.Points(60 / float64(max(len(order), 1)))
	for i, name := range order {
		bars, err := plotter.NewBarChart(series[name], width)
		if err != nil {
			return panel{}, err
		}
		bars.Color, bars.LineStyle.Width = palette[i%len(palette)], 0
		bars.Offset = width * vg.Length(float64(i)-float64(len(order)-1)/2)
		p.Add(bars)
		p.legend.Add(name, bars)
	}
	one := plotter.NewFunction(func(float64) float64 { return 1 })
	one.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	p.Add(one)
	p.legend.Add("1.0: a provider that does nothing", one)
	return p, nil
}

// swapsPlot has a line for each writer and each size of one ConfigMap: time for a swap by how many are under way.
func swapsPlot(rows []engineRow) (panel, error) {
	p := newPanel()
	p.Title.Text = "100 swaps of one ConfigMap, without Terraform"
	p.X.Label.Text = "swaps at the same time"
	p.Y.Label.Text = "milliseconds for each swap"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1, 100, 0.1, 1000

	series := map[string]plotter.XYs{}
	var order []string
	for _, row := range rows {
		if row.Place != loopback || row.Shape != oneMap || row.Swaps != 100 || row.milliseconds() <= 0 {
			continue
		}
		name := fmt.Sprintf("%s: ConfigMap of %d KiB", row.Writer, row.KiB)
		if series[name] == nil {
			order = append(order, name)
		}
		series[name] = append(series[name], plotter.XY{X: float64(row.Parallel), Y: row.milliseconds()})
	}
	for i, name := range order {
		line, points, err := plotter.NewLinePoints(series[name])
		if err != nil {
			return panel{}, err
		}
		line.Width, line.Color = vg.Points(1.5), palette[i%len(palette)]
		points.Color, points.Shape, points.Radius = line.Color, draw.CircleGlyph{}, vg.Points(2.5)
		p.Add(line, points)
		p.legend.Add(name, line, points)
	}
	p.Add(plotter.NewGrid())
	return p, nil
}
